import { withSqlTransaction } from "../platform/transaction";
import { createRedactor, type Redactor } from "./create-redactor";
import { type RuntimeEnvInput, readRuntimeEnv, runtimeRevision } from "./read-runtime-env";

const CACHED = 200;
/** By agent and named secrets, in the order of last use: the first is dropped first. */
const cache = new Map<string, { redactor: Redactor; revision: string }>();

/**
 * Takes the secrets that a version is given out of what it says. Made once per secrets revision:
 * usually the call costs one quick statement.
 * @throws AppError `not_found` when there is no such agent
 */
export async function runtimeRedactor(input: RuntimeEnvInput): Promise<Redactor> {
  const key = JSON.stringify([input.orgId, input.agentId, ...input.secretNames]);
  const known = cache.get(key);
  const isCurrent = known !== undefined && known.revision === (await runtimeRevision(input));
  const entry = isCurrent ? known : await makeRedactor(input);
  cache.delete(key);
  cache.set(key, entry);
  const [oldest] = cache.keys();
  if (cache.size > CACHED && oldest !== undefined) cache.delete(oldest);
  return entry.redactor;
}

async function makeRedactor(input: RuntimeEnvInput) {
  const { env, revision } = await withSqlTransaction(input.orgId, (tx) =>
    readRuntimeEnv(tx, input),
  );
  return { redactor: createRedactor(env), revision };
}
