import ipaddr from "ipaddr.js";
import type { PrivateTarget } from "../../protocol/gateway-control";
import { isAddress, isHostName, normaliseHost } from "./domain-rule";
import { addressWithin, isMetadataAddress } from "./public-address";

export type TargetPurpose = PrivateTarget["purpose"];

const PURPOSES: readonly string[] = ["models", "mcp", "otlp", "webhook", "sandbox"];
const FORM = /^([a-z]+)=(?:([^=@]+)@)?(\[[^\]]+\](?:\/\d+)?|[^:[\]]+)(?::(\d{1,5}))?$/;

const isPurpose = (text: string): text is TargetPurpose => PURPOSES.includes(text);
const isRange = (text: string): boolean =>
  text.includes("/") ? ipaddr.isValidCIDR(text) : isAddress(text);

type Parts = Omit<PrivateTarget, "purpose"> & { purpose: string };

function splitEntry(entry: string): Parts {
  const [, purpose = "", name, written = "", port] = FORM.exec(entry) ?? [];
  return {
    purpose,
    address: written.replace(/^\[([^\]]+)\]/, "$1"),
    ...(name === undefined ? {} : { host: normaliseHost(name) }),
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}

/** What is wrong with an entry, to follow its text in an error; `undefined` when nothing is. */
function fault({ address, host, port }: Parts): string | undefined {
  if (!isRange(address)) return "names no IP address or range";
  if (isMetadataAddress(address.split("/")[0] ?? "")) {
    return "is a metadata address, which is never allowed";
  }
  if (host !== undefined && (!isHostName(host) || address.includes("/"))) {
    return "does not give one name to one address";
  }
  return port !== undefined && (port < 1 || port > 65_535) ? "has a bad port" : undefined;
}

function parseTarget(entry: string): PrivateTarget {
  const parts = splitEntry(entry);
  const { purpose } = parts;
  const unknown = `does not start with one of ${PURPOSES.join(", ")}`;
  const wrong = isPurpose(purpose) ? fault(parts) : unknown;
  if (wrong === undefined && isPurpose(purpose)) return { ...parts, purpose };
  throw new Error(
    `BERTH_PRIVATE_TARGETS: "${entry}" ${wrong}. Write purpose=address[:port], for example models=127.0.0.1:11434.`,
  );
}

/**
 * Reads `BERTH_PRIVATE_TARGETS`: comma-separated `purpose=address[:port]`, where the address may be
 * a range (`10.2.0.0/16`) and may be given a name (`sandbox=api.test@127.0.0.1:8080`). Throws an
 * error that names the entry at fault.
 */
export const parsePrivateTargets = (text: string): PrivateTarget[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(parseTarget);

/** The targets opened for one purpose. */
export const targetsFor = (
  targets: readonly PrivateTarget[],
  purpose: TargetPurpose,
): PrivateTarget[] => targets.filter((target) => target.purpose === purpose);

/** Whether the operator opened this address and port. Metadata addresses never are. */
export const isOpened = (
  targets: readonly PrivateTarget[],
  address: string,
  port: number,
): boolean =>
  !isMetadataAddress(address) &&
  targets.some(
    (target) =>
      addressWithin(address, target.address) && (target.port === undefined || target.port === port),
  );

/** Where a name leads that the operator mapped to an address; its port stands unless one is given. */
export function mappedTarget(
  targets: readonly PrivateTarget[],
  host: string,
  port: number,
): { address: string; port: number } | undefined {
  const target = targets.find((candidate) => candidate.host === host);
  return target && { address: target.address, port: target.port ?? port };
}
