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

function parseTarget(entry: string): PrivateTarget {
  const invalid = (why: string) =>
    new Error(
      `BERTH_PRIVATE_TARGETS: "${entry}" ${why}. Write purpose=address[:port], for example models=127.0.0.1:11434.`,
    );
  const [, purpose = "", name, written = "", port] = FORM.exec(entry) ?? [];
  if (!isPurpose(purpose)) throw invalid(`does not start with one of ${PURPOSES.join(", ")}`);
  const address = written.replace(/^\[([^\]]+)\]/, "$1");
  if (!isRange(address)) throw invalid("names no IP address or range");
  if (isMetadataAddress(address.split("/")[0] ?? ""))
    throw invalid("is a metadata address, which is never allowed");
  const host = name === undefined ? undefined : normaliseHost(name);
  if (host !== undefined && (!isHostName(host) || address.includes("/"))) {
    throw invalid("maps something that is not a name to one address");
  }
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (number < 1 || number > 65_535)) throw invalid("has a bad port");
  return {
    purpose,
    address,
    ...(host === undefined ? {} : { host }),
    ...(number === undefined ? {} : { port: number }),
  };
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
