import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runProgram } from "./run-program";

function keepBusy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("a program's output", () => {
  let busy = false;

  // Whatever was read, time passes before the next read, as on a machine with too much to do.
  function stayBusy(): void {
    keepBusy(40);
    if (busy) setImmediate(stayBusy);
  }
  beforeEach(() => {
    busy = true;
    setImmediate(stayBusy);
  });
  afterEach(() => {
    busy = false;
  });

  test("is whole although others end while this process is busy with one", async () => {
    const outputs = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        let output = "";
        await runProgram({
          command: "sh",
          args: ["-c", `sleep 0.${index}; echo ${index}`],
          cwd: "/",
          timeoutMs: 20_000,
          signal: new AbortController().signal,
          onStdout: (chunk) => {
            output += chunk;
            keepBusy(200);
          },
          onStderr: () => undefined,
        });
        return output;
      }),
    );
    expect(outputs).toEqual(outputs.map((_, index) => `${index}\n`));
  });
});
