/**
 * Owns who somebody is and which org they belong to: people and their sessions, orgs, members,
 * service accounts, API keys, and the context that verbs run in.
 * Never decides what a verb needs (the verb does), and never reads another org's rows for a caller.
 */

export { authOptions } from "./auth-options";
export { authenticateBearer, unauthenticated } from "./authenticate-bearer";
export { authenticateUser } from "./authenticate-user";
export type { Caller, RequestOrigin, UserCaller } from "./caller";
export { createApiKey, NewApiKey } from "./create-api-key";
export { createOrg } from "./create-org";

export { createUser } from "./create-user";
export { csrfTokenFor, isCsrfToken } from "./csrf-token";
export { ctxForCaller, ctxForSystem } from "./ctx-for-caller";
export { type FoundOrg, findOrg } from "./find-org";
export { listApiKeys } from "./list-api-keys";
export { listMembers } from "./list-members";
export { listMyOrgs } from "./list-my-orgs";
export { listMySessions } from "./list-my-sessions";
export { listServiceAccounts } from "./list-service-accounts";
export { OrgSettings } from "./org-settings";
export { revokeApiKey } from "./revoke-api-key";
export { revokeMySession } from "./revoke-my-session";
export { sessionCookie } from "./session-cookie";
export { signIn } from "./sign-in";
export { signUp } from "./sign-up";
