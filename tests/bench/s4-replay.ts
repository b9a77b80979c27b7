import type { SessionEvent } from "../../src/protocol/event";
import type { Bench, Scenario } from "./bench";
import { benchTurn } from "./bench-turn";
import { fillSession } from "./fill-session";
import { residentMiB, watchMemory } from "./resident-memory";

const LENGTH = 100_000;
const READERS = 10;
const LINE_FEED = 10;

const streamOf = (sessionId: string, startIndex: number) =>
  `/v1/session/${sessionId}/stream?follow=false&startIndex=${startIndex}`;

/** Reads to the tail counting lines only, so that the generator is not what is measured. */
async function readRaw({ http }: Bench, path: string) {
  const since = performance.now();
  let first = Number.NaN;
  let lines = 0;
  for await (const chunk of await http.get(path)) {
    if (Number.isNaN(first)) first = performance.now() - since;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1))
      lines += 1;
  }
  return { first, total: performance.now() - since, events: lines - 1 }; // the last is stream.end
}

/** Every event once and in order, or it throws. */
async function checkDelivery({ http }: Bench, sessionId: string): Promise<void> {
  let next = 0;
  for await (const line of http.lines<SessionEvent>(streamOf(sessionId, 0))) {
    if (!("index" in line)) continue;
    if (line.index !== next) throw new Error(`index ${line.index} instead of ${next}`);
    next += 1;
  }
  if (next !== LENGTH) throw new Error(`${next} events instead of ${LENGTH}`);
}

/** S4: replay of a session of 100,000 events, alone, by ten readers, and from near its end. */
export const replay: Scenario = async (bench) => {
  const { sessionId } = await benchTurn(bench.http);
  await fillSession(bench.databaseUrl, sessionId, LENGTH);
  await checkDelivery(bench, sessionId);
  const whole = streamOf(sessionId, 0);
  const one = await readRaw(bench, whole);
  const { web } = await bench.product.pids();
  const before = await residentMiB(web);
  const memory = watchMemory(web);
  const since = performance.now();
  const readers = await Promise.all(Array.from({ length: READERS }, () => readRaw(bench, whole)));
  const seconds = (performance.now() - since) / 1000;
  const peak = await memory.stop();
  const events = readers.reduce((sum, reader) => sum + reader.events, 0);
  if (events !== READERS * LENGTH) throw new Error(`${events} events for ${READERS} readers`);
  const resume = await readRaw(bench, streamOf(sessionId, LENGTH - 10));
  return {
    "ttfb.ms": one.first,
    "one.events.per.s": (one.events * 1000) / one.total,
    "ten.events.per.s": events / seconds,
    "ten.growth.mib": Math.max(0, peak - before),
    "resume.ms": resume.total,
  };
};
