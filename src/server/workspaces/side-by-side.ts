/** As many as keep the disk busy, and few enough for open files. */
const WIDTH = 16;

/** Does work for each item, some at a time. Rejects with the first failure, once none runs. */
export async function sideBySide<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  let failed = false;
  const lane = async (): Promise<void> => {
    for (let next = rest.next(); !next.done && !failed; next = rest.next()) {
      await work(next.value).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: WIDTH }, lane));
  const broken = lanes.find((result) => result.status === "rejected");
  if (broken) throw broken.reason;
}
