/**
 * Carries the client's address from the front door to pages and next-auth. The front door always
 * overwrites it, so what a client sends under this name is never believed.
 */
export const CLIENT_ADDRESS_HEADER = "x-berth-client-address";
