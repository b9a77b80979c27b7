import type { BerthClient } from "../../src/sdk/client";
import type { Product } from "../support/product";
import type { BenchHttp } from "./bench-http";
import type { Run } from "./statistics";

/** What the scenarios work with. */
export interface Bench {
  product: Product;
  client: BerthClient;
  /** Requests below the bench agent's address. */
  http: BenchHttp;
  /** Owner's URL of the database. */
  databaseUrl: string;
  /** Base URL of the scripted model. */
  modelUrl: string;
  org: string;
  agent: string;
  /** Deploys the bench project with a label of its own; resolves to the version. */
  deploy(label: string): Promise<number>;
  /** Deploys it to another org. */
  deployTo(client: BerthClient, org: string): Promise<number>;
  quick: boolean;
}

/** One run of a scenario: its figures by name. A lost or doubled event makes it throw. */
export type Scenario = (bench: Bench, run: number) => Promise<Run>;
