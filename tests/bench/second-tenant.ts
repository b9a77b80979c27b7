import { createClient } from "../../src/sdk/client";
import type { Bench } from "./bench";
import { type BenchHttp, createBenchHttp } from "./bench-http";
import { PROVIDER } from "./bench-project";
import { signIn } from "./make-keys";

/** An org of its own with the bench agent, as somebody would found it. The caller closes `http`. */
export async function secondTenant(bench: Bench, slug: string): Promise<BenchHttp> {
  const { product, agent, modelUrl } = bench;
  const headers = await signIn(product);
  const send = async (method: string, path: string, body: object) => {
    const answer = await fetch(`${product.url}/api/v1/orgs${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  await send("POST", "", { name: slug, slug });
  const settings = { kind: "openai-compatible", baseUrl: modelUrl, apiKey: "bench" };
  await send("PUT", `/${slug}/models/${PROVIDER}`, settings);
  const { token } = await send("POST", `/${slug}/keys`, { name: "bench" });
  await bench.deployTo(createClient({ url: product.url, token }), slug);
  return createBenchHttp(`${product.url}/${slug}/${agent}`, [token ?? ""]);
}
