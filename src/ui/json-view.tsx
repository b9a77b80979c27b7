"use client";

import { JsonView as Tree } from "react-json-view-lite";
import { CopyButton } from "./copy-button";

const STYLE = {
  container: "font-mono text-xs leading-5 [overflow-wrap:anywhere]",
  basicChildStyle: "pl-4",
  childFieldsContainer: "",
  label: "mr-1.5 text-soft",
  clickableLabel: "mr-1.5 cursor-pointer text-soft",
  nullValue: "text-faint",
  undefinedValue: "text-faint",
  numberValue: "text-accent",
  stringValue: "text-ink whitespace-pre-wrap",
  booleanValue: "text-accent",
  otherValue: "text-ink",
  punctuation: "text-faint",
  expandIcon: "mr-1 inline-block w-3 cursor-pointer select-none text-faint before:content-['▸']",
  collapseIcon: "mr-1 inline-block w-3 cursor-pointer select-none text-faint before:content-['▾']",
  collapsedContent: "mx-1 cursor-pointer text-faint before:content-['…']",
  quotesForFieldNames: false,
  noQuotesForStringValues: false,
  ariaLables: { collapseJson: "Collapse", expandJson: "Expand" },
  stringifyStringValues: true,
};

const NODES_SHOWN = 40;

/** How deep a value opens: all of a small one, the first level of a large one. */
function openLevels(value: unknown): number {
  const size = JSON.stringify(value)?.length ?? 0;
  return size < NODES_SHOWN * 50 ? 8 : 1;
}

/** A JSON value: objects and lists as a tree that folds, everything else as text. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "nothing");
  const levels = openLevels(value);
  const isTree = typeof value === "object" && value !== null;
  return (
    <div className="group relative">
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by key
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-md border border-line bg-sunken py-2 pr-9 pl-2.5"
      >
        {isTree ? (
          <Tree
            data={value}
            style={STYLE}
            shouldExpandNode={(level) => level < levels}
            aria-label={label}
            compactTopLevel
          />
        ) : (
          <pre className="whitespace-pre-wrap font-mono text-ink text-xs leading-5 [overflow-wrap:anywhere]">
            {text}
          </pre>
        )}
      </section>
      <CopyButton text={text} label={`Copy ${label}`} className="absolute top-1 right-1" />
    </div>
  );
}
