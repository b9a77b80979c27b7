/**
 * Owns secrets: sealed per org under a key that the master key wraps, set and listed but never
 * read back by people; the environment of agent processes; and the redaction of values.
 * Never logs a value, and never gives an agent what its manifest does not name.
 */
export { createRedactor, type RedactedStream, type Redactor } from "./create-redactor";
export { deleteSecret } from "./delete-secret";
export { type ListedSecret, listSecrets } from "./list-secrets";
export { type RuntimeEnv, type RuntimeEnvInput, runtimeRevision } from "./read-runtime-env";
export { runtimeEnv } from "./runtime-env";
export { runtimeRedactor } from "./runtime-redactor";
export { type SealedPlace, type SealedValue, sealForOrg, unsealForOrg } from "./sealed-value";
export { SecretName } from "./secret-name";
export { type SecretReceipt, setSecrets } from "./set-secrets";
