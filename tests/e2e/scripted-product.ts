import type { Browser } from "playwright-core";
import { type BerthClient, createClient } from "../../src/sdk/client";
import { type Product, startProduct } from "../support/product";
import { startScriptedModel } from "../support/scripted-model/start-scripted-model";
import { launchBrowser } from "./browser";

export interface ScriptedProduct {
  product: Product;
  browser: Browser;
  client: BerthClient;
  stop(): Promise<void>;
}

/** The product and a browser, with a model that is scripted: `<provider>/…` to its agents. */
export async function startScriptedProduct(provider: string): Promise<ScriptedProduct> {
  const model = await startScriptedModel();
  const target = `models=${new URL(model.url).host}`;
  const [product, browser] = await Promise.all([
    startProduct({ BERTH_PRIVATE_TARGETS: target }),
    launchBrowser(),
  ]);
  const client = createClient({ url: product.url, token: product.apiKey });
  await client.control.setModel(product.org, provider, {
    kind: "openai-compatible",
    baseUrl: model.url,
    apiKey: "any",
  });
  return {
    ...{ product, browser, client },
    async stop() {
      await browser.close();
      await product.stop();
      await model.stop();
    },
  };
}
