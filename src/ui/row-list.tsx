"use client";

import Link from "next/link";
import { type ReactNode, useRef } from "react";
import { cn } from "./cn";
import { useShortcut } from "./shortcuts";

interface RowListProps {
  label: string;
  /** Grid columns of the rows from `md` on, such as `md:grid-cols-[1fr_8rem]`. */
  columns: string;
  /** Names of the columns; empty for one that explains itself. */
  heads: readonly string[];
  children: ReactNode;
}

/** Rows that open something. `j` and `k` move between them, Enter opens. */
export function RowList({ label, columns, heads, children }: RowListProps) {
  const list = useRef<HTMLUListElement>(null);
  const move = (by: 1 | -1) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("[data-row-link]") ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const start = at === -1 && by === -1 ? links.length : at;
    links[Math.min(links.length - 1, Math.max(0, start + by))]?.focus();
  };
  useShortcut("next", () => move(1));
  useShortcut("previous", () => move(-1));
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <div
        aria-hidden="true"
        className={cn(
          "hidden h-8 items-center gap-4 border-line border-b bg-sunken px-4 font-medium text-faint text-xs md:grid",
          columns,
        )}
      >
        {heads.map((head) => (
          <span key={head} className="truncate">
            {head}
          </span>
        ))}
      </div>
      <ul ref={list} aria-label={label} className="divide-y divide-line">
        {children}
      </ul>
    </div>
  );
}

interface RowProps {
  columns: string;
  href?: string;
  title: ReactNode;
  /** Beneath the title. */
  note?: ReactNode;
  /** The other cells, in the order of the heads. */
  children?: ReactNode;
}

/** One row: its title is the link and the whole row is its target. */
export const Row = ({ columns, href, title, note, children }: RowProps) => (
  <li
    className={cn(
      "relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5 md:grid",
      columns,
      href && "hover:bg-hover has-[[data-row-link]:focus-visible]:bg-hover",
    )}
  >
    <div className="w-full min-w-0 md:w-auto">
      {href ? (
        <Link
          href={href}
          data-row-link
          className="block truncate font-medium text-sm after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
        >
          {title}
        </Link>
      ) : (
        <div className="truncate font-medium text-sm">{title}</div>
      )}
      {note ? <div className="truncate text-faint text-xs">{note}</div> : null}
    </div>
    {children}
  </li>
);

/** A cell; `strong` ones stay on a phone, others step back. */
export const Cell = ({ children, className }: { children?: ReactNode; className?: string }) => (
  <div className={cn("min-w-0 truncate text-faint text-sm tabular-nums", className)}>
    {children}
  </div>
);
