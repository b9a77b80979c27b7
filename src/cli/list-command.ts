import type { Command } from "commander";
import { type Cli, command, optionsOf } from "./cli";
import { usageError } from "./exit-code";
import type { GlobalOptions } from "./global-options";
import { table } from "./output";

export interface PageOptions {
  limit?: number;
  cursor?: string;
}

interface Listing<Item> {
  summary: string;
  /** Member of the answer that holds the items. */
  plural: string;
  heading: string[];
  row(item: Item): unknown[];
  fetch(options: GlobalOptions, page: PageOptions): Promise<{ nextCursor?: string | null }>;
}

function positive(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw usageError(`--limit wants a whole number above 0, not "${text}".`);
}

/** A `list` sub-command: one page as a table, or as the answer's JSON. */
export const listCommand = <Item>(cli: Cli, listing: Listing<Item>): Command =>
  command("list", listing.summary)
    .option("--limit <n>", "how many at most", positive)
    .option("--cursor <cursor>", "where the page before ended")
    .action(async (_: object, self: Command) => {
      const options = optionsOf<PageOptions>(self);
      const { limit, cursor } = options;
      const page = { ...(limit ? { limit } : {}), ...(cursor ? { cursor } : {}) };
      const answer = await listing.fetch(options, page);
      if (options.json) {
        cli.output.json(answer);
        return;
      }
      const items = (answer as unknown as Record<string, Item[]>)[listing.plural] ?? [];
      cli.output.data(table([listing.heading, ...items.map(listing.row)]));
      if (answer.nextCursor) cli.output.note(`More: --cursor ${answer.nextCursor}`);
    });
