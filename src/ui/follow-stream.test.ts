import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { followStream, type StreamPhase } from "./follow-stream";

type Answer = (response: ServerResponse, startIndex: number) => void;

let server: Server | undefined;
afterEach(() => server?.close());

/** A log server whose n-th connection is answered by the n-th function. */
async function logServer(...answers: Answer[]): Promise<{ url: string; starts: number[] }> {
  const starts: number[] = [];
  server = createServer((request, response) => {
    const start = Number(new URL(request.url ?? "", "http://x").searchParams.get("startIndex"));
    const answer = answers[starts.length];
    starts.push(start);
    answer?.(response, start);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, starts };
}

const lines = (...indexes: number[]): string =>
  indexes.map((index) => `${JSON.stringify({ type: "x", index })}\n`).join("");
const END = `${JSON.stringify({ type: "stream.end", reason: "completed" })}\n`;

async function follow(url: string, extra: { silenceMs?: number; signal?: AbortSignal } = {}) {
  const got: number[] = [];
  const phases: StreamPhase[] = [];
  await followStream({
    url: (startIndex) => `${url}/?startIndex=${startIndex}`,
    startIndex: 0,
    onLine: (line) => got.push((line as { index: number }).index),
    onPhase: (phase) => phases.push(phase),
    signal: new AbortController().signal,
    maxWaitMs: 5,
    ...extra,
  });
  return { got, phases: phases.map((phase) => phase.phase), last: phases.at(-1) };
}

describe("followStream", () => {
  it("resumes after a broken connection with every index once", async () => {
    const { url, starts } = await logServer(
      (response) => {
        response.write(lines(0, 1, 2));
        setImmediate(() => response.destroy());
      },
      (response) => response.end(lines(3, 4) + END),
    );
    const { got, phases } = await follow(url);
    expect(got).toEqual([0, 1, 2, 3, 4]);
    expect(starts).toEqual([0, 3]);
    expect(phases).toEqual(["connecting", "live", "reconnecting", "live", "ended"]);
  });

  it("drops what it has and reads again across a hole", async () => {
    const { url, starts } = await logServer(
      (response) => response.end(lines(0, 1, 5)),
      (response) => response.end(lines(1, 2, 3, 4, 5) + END),
    );
    expect((await follow(url)).got).toEqual([0, 1, 2, 3, 4, 5]);
    expect(starts).toEqual([0, 2]);
  });

  it("takes silence for a lost connection", async () => {
    const { url } = await logServer(
      (response) => response.write(lines(0)),
      (response) => response.end(lines(1) + END),
    );
    expect((await follow(url, { silenceMs: 50 })).got).toEqual([0, 1]);
  });

  it("tries again on 503 and gives up with the message on 403", async () => {
    const { url, starts } = await logServer(
      (response) => response.writeHead(503).end(),
      (response) =>
        response.writeHead(403).end(JSON.stringify({ error: "forbidden", message: "Not yours." })),
    );
    const { last } = await follow(url);
    expect(last).toEqual({ phase: "refused", status: 403, message: "Not yours." });
    expect(starts).toHaveLength(2);
  });

  it("calls nothing back once it is aborted", async () => {
    const stop = new AbortController();
    const { url } = await logServer((response) => {
      response.write(lines(0));
      setImmediate(() => stop.abort());
    });
    const { phases } = await follow(url, { signal: stop.signal });
    expect(["connecting", "live"].slice(0, phases.length)).toEqual(phases);
  });
});
