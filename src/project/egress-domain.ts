const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const DOMAIN = new RegExp(`^(?:\\*\\.)?${LABEL}(?:\\.${LABEL})*(?::(\\d{1,5}))?$`, "i");
const ADDRESS = /^(?:\d+|0x[0-9a-f]+)(?:\.(?:\d+|0x[0-9a-f]+))*(?::\d+)?$/i;

/** Why an entry of `hosting.egressDomains` cannot be used, or `undefined` when it can. */
export const egressProblem = (entry: string): string | undefined => {
  if (/:\/\/|[/@?#]/.test(entry)) return "it is a host only, without scheme, path or user";
  if (ADDRESS.test(entry) || entry.startsWith("[")) return "it has to be a name, not an address";
  const match = DOMAIN.exec(entry);
  if (match === null) return "write it as host, *.host or host:port";
  const port = match[1] === undefined ? 443 : Number(match[1]);
  return port >= 1 && port <= 65535 ? undefined : "its port is not between 1 and 65535";
};
