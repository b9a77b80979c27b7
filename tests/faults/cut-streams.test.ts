import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CuttingProxy, startCuttingProxy } from "../support/faults/cutting-proxy";
import { type Farm, startFarm, until } from "../support/faults/farm";
import { expectInvariants } from "../support/faults/invariants";
import { rounds, seededRandom } from "../support/faults/seeded-random";
import { ask, begin, follow } from "../support/faults/sessions";
import { scriptText } from "../support/scripted-model/script";

let farm: Farm;
let proxy: CuttingProxy;
const random = seededRandom("cut streams");

beforeAll(async () => {
  farm = await startFarm();
  proxy = await startCuttingProxy(farm.url);
});
afterAll(async () => {
  await proxy?.stop();
  await farm?.stop();
});

/** Text of several bytes a character, so that cuts also fall inside one. */
const WIDE = Array.from({ length: 60 }, (_, i) => `größe-${i}-😀-文字`).join(" ");

/** The complete lines of an answer that may end anywhere. */
async function linesOf(response: Response): Promise<string[]> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    // cut off: what came is what counts
  }
  return text.split("\n").slice(0, -1).filter(Boolean);
}

test("a stream that is cut anywhere and resumed by index is the log, byte for byte", async () => {
  const sessionId = await begin(farm, scriptText({ text: WIDE }));
  await follow(farm, sessionId);
  const whole = await linesOf(await ask(farm, `/session/${sessionId}/events`));
  const total = whole.join("\n").length;
  for (let round = 0; round < rounds(40, 500); round++) {
    const got: string[] = [];
    while (got.length < whole.length) {
      proxy.cutNext(200 + Math.floor(random() * total));
      const path = `/session/${sessionId}/stream?follow=false&startIndex=${got.length}`;
      const headers = { connection: "close" };
      const lines = await ask(farm, path, { headers }, proxy.url).then(linesOf, () => []);
      got.push(...lines.filter((line) => !line.includes('"stream.end"')));
    }
    expect(got).toEqual(whole);
  }
});

test("where a stream may begin, and that it always ends or waits", async () => {
  const sessionId = await begin(farm, "hello");
  await follow(farm, sessionId);
  const { lastIndex } = await farm.client.agent(farm.org, farm.agent).getSession(sessionId);
  const status = async (startIndex: string) => {
    const path = `/session/${sessionId}/stream?follow=false&startIndex=${startIndex}`;
    return (await ask(farm, path)).status;
  };
  for (const bad of ["-1", "1.5", "x", "9223372036854775808", "9007199254740993"]) {
    expect(await status(bad), bad).toBe(400);
  }
  const tail = `/session/${sessionId}/stream?follow=false&startIndex=${lastIndex + 1}`;
  const lines = await linesOf(await ask(farm, tail));
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(["stream.end"]);
  // Past the tail it waits for that index.
  const gone = new AbortController();
  const waiting = await ask(farm, `/session/${sessionId}/stream?startIndex=${lastIndex + 3}`, {
    signal: gone.signal,
  });
  await farm.client.agent(farm.org, farm.agent).sendMessage(sessionId, { message: "again" });
  const reader = waiting.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  expect(JSON.parse(new TextDecoder().decode(value).split("\n")[0] ?? "").index).toBe(
    lastIndex + 3,
  );
  gone.abort();
});

test("a lost answer and its repeat are one turn", async () => {
  for (let round = 0; round < rounds(5, 50); round++) {
    const key = `lost-${round}-${random()}`;
    const body = JSON.stringify({ message: `once ${round}` });
    const headers = { "idempotency-key": key, connection: "close" };
    const init = { method: "POST", body, headers };
    proxy.cutNext(0);
    await expect(ask(farm, "/session", init, proxy.url)).rejects.toThrow();
    const repeat = async (): Promise<Response> => {
      const answer = await ask(farm, "/session", init);
      // The first request may not have ended yet.
      return answer.status === 409 ? repeat() : answer;
    };
    const first = await repeat();
    expect(first.status).toBe(202);
    const again = await ask(farm, "/session", init);
    expect(await again.json()).toEqual(await first.json());
    const made = await farm.sql("SELECT 1 FROM message WHERE text = $1", [`once ${round}`]);
    expect(made).toHaveLength(1);
    const other = { ...init, body: JSON.stringify({ message: "something else" }) };
    expect((await ask(farm, "/session", other)).status).toBe(409);
  }
  await expectInvariants(farm);
});

test("no follower sees an index before the one below it, while eight write", async () => {
  const agent = farm.client.agent(farm.org, farm.agent);
  const sessionId = await begin(farm, scriptText({ text: WIDE, delayMs: 5 }));
  const gone = new AbortController();
  const seen: number[] = [];
  const following = (async () => {
    for await (const { index } of agent.events(sessionId, { signal: gone.signal }))
      seen.push(index);
  })().catch(() => undefined);
  const writers = Array.from({ length: 8 }, async (_, writer) => {
    for (let i = 0; i < 5; i++) {
      await ask(farm, `/session/${sessionId}`, {
        method: "POST",
        body: JSON.stringify({ message: scriptText({ text: `w${writer} ${WIDE}`, delayMs: 1 }) }),
      });
    }
  });
  await Promise.all(writers);
  await until(
    () => "the session to come to rest",
    async () => (await agent.getSession(sessionId)).status === "waiting",
  );
  const { lastIndex } = await agent.getSession(sessionId);
  await until(
    () => `the follower to reach ${lastIndex}, it is at ${seen.at(-1)}`,
    () => Promise.resolve(seen.at(-1) === lastIndex),
  );
  gone.abort();
  await following;
  expect(seen).toEqual(Array.from({ length: lastIndex + 1 }, (_, i) => i));
  await expectInvariants(farm);
});

/** A reader that asks for a stream and never takes a byte of it from the socket. */
function idleReader(path: string): { end(): void } {
  const { hostname, port } = new URL(farm.url);
  const socket = connect(Number(port), hostname, () => {
    socket.pause();
    socket.write(
      `GET /${farm.org}/${farm.agent}/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${farm.apiKey}\r\n\r\n`,
    );
  });
  socket.on("error", () => undefined);
  return { end: () => socket.destroy() };
}

test("readers that take nothing cost the server no memory", async () => {
  const sessionId = await begin(farm, scriptText({ text: "a".repeat(100_000) }));
  await follow(farm, sessionId);
  await farm.sql(
    `WITH moved AS (UPDATE session SET next_index = next_index + 100000 WHERE id = $1
       RETURNING org_id, next_index - 100000 AS first)
     INSERT INTO event (org_id, session_id, index, type, at, data)
     SELECT org_id, $1, first + n, 'message.appended', now(),
       json_build_object('step', 0, 'blockId', '0.0', 'delta', repeat('x', 100))
     FROM moved, generate_series(0, 99999) n`,
    [sessionId],
  );
  const rss = async () => {
    const { readFile } = await import("node:fs/promises");
    const [web] = farm.webs;
    const status = await readFile(`/proc/${web?.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
  };
  const fast = () => ask(farm, `/session/${sessionId}/stream?follow=false`).then(linesOf);
  await fast(); // warm
  const before = await rss();
  const readers = Array.from({ length: rounds(50, 200) }, () =>
    idleReader(`/session/${sessionId}/stream`),
  );
  try {
    const { lastIndex } = await farm.client.agent(farm.org, farm.agent).getSession(sessionId);
    expect(await fast()).toHaveLength(lastIndex + 2); // and the line that says it is the end
    const grown = (await rss()) - before;
    process.stdout.write(`idle readers: the web process grew by ${grown.toFixed(1)} MiB\n`);
    expect(grown).toBeLessThan(64);
  } finally {
    for (const reader of readers) reader.end();
  }
});
