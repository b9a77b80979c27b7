import Link from "next/link";
import { cn } from "./cn";

interface FilterLinksProps {
  label: string;
  /** Path of the page, without its query. */
  path: string;
  /** The query that the choice replaces a part of. */
  query: Readonly<Record<string, string | undefined>>;
  name: string;
  choices: readonly { value: string | undefined; label: string }[];
}

/** A filter kept in the address: each choice is a link, so going back restores it. */
export function FilterLinks({ label, path, query, name, choices }: FilterLinksProps) {
  return (
    <nav aria-label={label} className="flex flex-wrap gap-1">
      {choices.map(({ value, label: text }) => {
        const here = query[name] === value;
        return (
          <Link
            key={text}
            href={hrefWith(path, { ...query, [name]: value, cursor: undefined })}
            aria-current={here ? "true" : undefined}
            className={cn(
              "rounded-full border px-2.5 py-0.5 text-sm",
              here
                ? "border-accent-line bg-accent-soft font-medium text-accent"
                : "border-line text-soft hover:border-line-strong hover:text-ink",
            )}
          >
            {text}
          </Link>
        );
      })}
    </nav>
  );
}

/** A path with the query's defined parts. */
export function hrefWith(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): string {
  const parts = Object.entries(query).filter(
    (part): part is [string, string] => part[1] !== undefined && part[1] !== "",
  );
  return parts.length === 0 ? path : `${path}?${new URLSearchParams(parts)}`;
}
