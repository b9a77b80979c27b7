import type { ReactNode } from "react";

interface PageHeaderProps {
  title: ReactNode;
  note?: ReactNode;
  /** Buttons at the end of the line. */
  actions?: ReactNode;
}

export const PageHeader = ({ title, note, actions }: PageHeaderProps) => (
  <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
    <div className="min-w-0">
      <h1 className="truncate font-semibold text-xl">{title}</h1>
      {note ? <p className="mt-0.5 max-w-prose text-faint text-sm">{note}</p> : null}
    </div>
    {actions ? <div className="flex items-center gap-2">{actions}</div> : null}
  </header>
);

/** The column that most pages use. */
export const Page = ({ children }: { children: ReactNode }) => (
  <div className="mx-auto grid w-full max-w-6xl content-start gap-6 px-4 py-6 sm:px-8 sm:py-8">
    {children}
  </div>
);
