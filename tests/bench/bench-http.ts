import { Agent, request } from "undici";

/** One way of asking the installation: keep-alive connections and keys used in turn. */
export interface BenchHttp {
  post<Answer>(path: string, body: unknown): Promise<Answer>;
  /** The body of a GET as raw chunks. */
  get(path: string): Promise<AsyncIterable<Buffer>>;
  /** The NDJSON values of a GET. */
  lines<Line>(path: string): AsyncGenerator<Line, void, undefined>;
  close(): Promise<void>;
}

async function* jsonLines<Line>(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  let rest = "";
  for await (const chunk of chunks) {
    const parts = (rest + chunk.toString("utf8")).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part !== "") yield JSON.parse(part) as Line;
  }
}

/** @param url the address all paths are below; each request uses the next of `keys` */
export function createBenchHttp(url: string, keys: readonly string[]): BenchHttp {
  const dispatcher = new Agent({ connections: 2_000, headersTimeout: 120_000, bodyTimeout: 0 });
  let turn = 0;
  const authorization = () => {
    turn += 1;
    return `Bearer ${keys[turn % keys.length]}`;
  };
  const send = async (method: "GET" | "POST", path: string, body?: string) => {
    const headers = { authorization: authorization(), "content-type": "application/json" };
    const options = { dispatcher, method, headers, ...(body === undefined ? {} : { body }) };
    const answer = await request(`${url}${path}`, options);
    if (answer.statusCode < 300) return answer.body;
    throw new Error(`${method} ${path}: ${answer.statusCode} ${await answer.body.text()}`);
  };
  const get = (path: string): Promise<AsyncIterable<Buffer>> => send("GET", path);
  return {
    post: async <Answer>(path: string, body: unknown) =>
      (await (await send("POST", path, JSON.stringify(body))).json()) as Answer,
    get,
    async *lines<Line>(path: string) {
      yield* jsonLines<Line>(await get(path));
    },
    close: () => dispatcher.destroy(),
  };
}
