/** Sorts items into named groups; groups and items keep the order in which they came. */
export function groupBy<Item>(
  items: Iterable<Item>,
  nameOf: (item: Item) => string,
): [name: string, items: Item[]][] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = nameOf(item);
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return [...groups];
}
