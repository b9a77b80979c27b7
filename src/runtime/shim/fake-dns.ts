import dns, { type LookupAddress } from "node:dns";
import { isIP } from "node:net";

// 198.18/15 is reserved for benchmarks: no real service answers there.
const PREFIX = "198.18";
const SLOTS = 65_536;

const addressByName = new Map<string, string>();
const nameByAddress = new Map<string, string>();
let next = 1;

/** A stand-in address for a name, so that code which resolves and then connects works. */
export function fakeAddress(name: string): string {
  const known = addressByName.get(name);
  if (known !== undefined) return known;
  const address = `${PREFIX}.${next >> 8}.${next & 255}`;
  next = (next + 1) % SLOTS || 1;
  const previous = nameByAddress.get(address);
  if (previous !== undefined) addressByName.delete(previous);
  addressByName.set(name, address);
  nameByAddress.set(address, name);
  return address;
}

/** The name a stand-in address was given for; any other host is returned as it is. */
export const realName = (host: string): string => nameByAddress.get(host) ?? host;

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;
type AnyLookup = (host: string, options: object, callback: Callback) => void;

/** Replaces `dns.lookup`: the namespace has no resolver, names are resolved by the gateway. */
export function installFakeDns(): void {
  const original = dns.lookup as unknown as AnyLookup;
  const lookup = (host: string, second: unknown, third?: Callback): void => {
    const callback = (typeof second === "function" ? second : third) as Callback;
    const options = typeof second === "object" && second !== null ? second : {};
    if (!host || isIP(host) !== 0 || host === "localhost") {
      original(host, options, callback);
      return;
    }
    const address = fakeAddress(host);
    const all = "all" in options && options.all === true;
    process.nextTick(() => {
      if (all) callback(null, [{ address, family: 4 }]);
      else callback(null, address, 4);
    });
  };
  const promised = (host: string, options: object | number = {}) =>
    new Promise((resolve, reject) => {
      lookup(host, options, (error, address, family) => {
        if (error) reject(error);
        else resolve(Array.isArray(address) ? address : { address, family });
      });
    });
  Object.assign(dns, { lookup });
  Object.assign(dns.promises, { lookup: promised });
}
