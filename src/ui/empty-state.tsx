import type { ReactNode } from "react";

interface EmptyStateProps {
  icon: ReactNode;
  title: string;
  /** It is all that the page shows: its title is the page's. */
  alone?: boolean;
  /** Why it is empty and what fills it. */
  children: ReactNode;
}

/** What a list shows before it has anything: the reason and the next step. */
export const EmptyState = ({ icon, title, alone, children }: EmptyStateProps) => (
  <section className="mx-auto grid w-full max-w-lg justify-items-center gap-3 px-4 py-16 text-center">
    <div
      aria-hidden="true"
      className="grid size-10 place-items-center rounded-xl border border-line bg-surface text-faint [&_svg]:size-5"
    >
      {icon}
    </div>
    <Title alone={alone}>{title}</Title>
    <div className="grid w-full gap-4 text-soft text-sm">{children}</div>
  </section>
);

const Title = ({ alone, children }: { alone: boolean | undefined; children: string }) => {
  const Heading = alone ? "h1" : "h2";
  return <Heading className="font-semibold text-lg">{children}</Heading>;
};
