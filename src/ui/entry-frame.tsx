import type { ReactNode } from "react";
import { Logo } from "./logo";

interface EntryFrameProps {
  title: string;
  note?: ReactNode;
  children: ReactNode;
  /** Beneath the form: the way to the other one. */
  footer?: ReactNode;
}

/** The frame of the pages outside any org: sign-in, sign-up, the first org. */
export const EntryFrame = ({ title, note, children, footer }: EntryFrameProps) => (
  <main className="grid min-h-dvh content-start justify-items-center px-4 pt-[12vh] pb-12 sm:pt-[18vh]">
    <div className="grid w-full max-w-sm gap-6">
      <div className="grid gap-4">
        <Logo className="size-9" />
        <div className="grid gap-1">
          <h1 className="font-semibold text-2xl">{title}</h1>
          {note ? <p className="text-soft">{note}</p> : null}
        </div>
      </div>
      {children}
      {footer ? <p className="text-faint text-sm">{footer}</p> : null}
    </div>
  </main>
);
