const started = performance.now();
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;

/** One line of chatter on stdout. */
export const say = (text = "") => process.stdout.write(`${text}\n`);

/**
 * Runs one visible phase: its name when it starts, its outcome and time when it ends.
 * `run` may return a short text that replaces "done".
 */
export async function phase(name, run) {
  const from = performance.now();
  say(`▸ ${name} …`);
  const outcome = await run();
  say(`  ${typeof outcome === "string" ? outcome : "done"} (${seconds(from)})`);
  return outcome;
}

/** Time since this program started, as text. */
export const elapsed = () => seconds(started);
