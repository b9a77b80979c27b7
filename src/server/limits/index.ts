/**
 * Owns how often somebody may ask (per process, in memory) and which address a request came from.
 * Forwarded addresses count only from the proxies that the operator trusts.
 * Never decides who somebody is or what they may do, and never stores anything.
 */
export { clientAddress } from "./client-address";
export { CLIENT_ADDRESS_HEADER } from "./client-address-header";
export { limitRate } from "./limit-rate";
