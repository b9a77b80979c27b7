import { request } from "undici";
import { percentile } from "./statistics";

/** Median milliseconds of asking the scripted model without the product in between. */
export async function stubDirect(modelUrl: string, times: number): Promise<number> {
  const body = JSON.stringify({
    model: "tokens-5-0",
    stream: true,
    messages: [{ role: "user", content: "hello" }],
  });
  const samples: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const since = performance.now();
    const answer = await request(`${modelUrl}/chat/completions`, { method: "POST", body });
    await answer.body.dump();
    samples.push(performance.now() - since);
  }
  return percentile(samples, 50);
}
