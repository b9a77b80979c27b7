/** A request as a test's stand-in for the network saw it. */
export interface SeenRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Headers;
  body: string;
}

type Answer = Response | Promise<Response>;

/** A `fetch` that hands every request to `answer` and remembers it; nothing leaves the process. */
export function answeringFetch(answer: (request: SeenRequest) => Answer) {
  const seen: SeenRequest[] = [];
  const fake: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const entry = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: await request.text(),
    };
    seen.push(entry);
    return answer(entry);
  };
  return { fetch: fake, seen };
}

/** An NDJSON answer; with `cut` the connection breaks after the last line. */
export function ndjson(lines: unknown[], { cut = false, status = 200, headers = {} } = {}) {
  const encoder = new TextEncoder();
  const waiting = [...lines];
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const line = waiting.shift();
        if (line !== undefined) controller.enqueue(encoder.encode(`${JSON.stringify(line)}\n`));
        else if (cut) controller.error(new Error("connection reset"));
        else controller.close();
      },
    },
    // Nothing is read ahead: an error would throw away what nobody has taken yet.
    { highWaterMark: 0 },
  );
  return new Response(body, {
    status,
    headers: { "content-type": "application/x-ndjson", ...headers },
  });
}
