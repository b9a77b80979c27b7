import { type BerthClient, createClient } from "../../src/sdk/client";
import type { Bench } from "./bench";
import { type BenchHttp, createBenchHttp } from "./bench-http";
import { PROVIDER } from "./bench-project";
import { signIn } from "./make-keys";

/** An org of its own with the bench agent, as somebody would found it. The caller closes `http`. */
export async function secondTenant(bench: Bench, slug: string): Promise<BenchHttp> {
  const { product, agent, modelUrl } = bench;
  const headers = await signIn(product);
  const post = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await fetch(`${product.url}/api/v1/orgs${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
  await post("", { name: slug, slug });
  const { token } = await post(`/${slug}/keys`, { name: "bench" });
  const client: BerthClient = createClient({ url: product.url, token });
  const settings = { kind: "openai-compatible" as const, baseUrl: modelUrl, apiKey: "bench" };
  await client.control.setModel(slug, PROVIDER, settings);
  await bench.deployTo(client, slug);
  return createBenchHttp(`${product.url}/${slug}/${agent}`, [token ?? ""]);
}
