/**
 * What agents keep for themselves: `host.kv` and `host.files`, per agent and nobody else's.
 * Parameters come from tenant code and are checked here; whose storage it is never comes from
 * there. Never interprets a value, and never shares bytes between orgs.
 */
export { filesDelete, filesGet, filesList, filesPut } from "./files";
export { kvCas, kvDelete, kvGet, kvList, kvPut } from "./kv";
export type { StorageOwner } from "./storage-owner";
