const parseLine = (line: string): unknown => (line.trim() === "" ? undefined : JSON.parse(line));

/**
 * The JSON values of an NDJSON body, each as soon as its line is complete; empty lines are
 * keep-alives and give `undefined`. A last line without a line feed counts only if the body ended.
 * @throws SyntaxError on a line that is not JSON.
 */
export async function* readNdjson(body: ReadableStream<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = "";
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield parseLine(line);
    }
    rest += decoder.decode();
    if (rest !== "") yield parseLine(rest);
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
