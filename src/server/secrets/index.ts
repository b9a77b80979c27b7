/**
 * Owns secrets: sealed per org under a key that the master key wraps, set and listed but never
 * read back by people; the environment of agent processes; and the redaction of values.
 * Never logs a value, and never gives an agent what its manifest does not name.
 */
export { createRedactor, type RedactedStream, type Redactor } from "./create-redactor";
export { deleteSecret } from "./delete-secret";
export { listSecrets } from "./list-secrets";
export { runtimeRevision } from "./read-runtime-env";
export { runtimeEnv } from "./runtime-env";
export { runtimeRedactor } from "./runtime-redactor";
export { sealForOrg, unsealForOrg } from "./sealed-value";

export { setSecrets } from "./set-secrets";
