import { platform } from "../platform/platform";

/** Milliseconds until the earliest lease of any running turn ends; undefined without one. */
export async function nextLeaseEnd(): Promise<number | undefined> {
  const { rows } = await platform().pool.query<{ ms: number | null }>({
    name: "next_lease_end",
    text: "SELECT berth_next_lease_end() AS ms",
  });
  return rows[0]?.ms ?? undefined;
}
