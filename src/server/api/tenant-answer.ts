/** Headers of an answer that tenant code must not set for our origin, or that are the hop's own. */
const DROPPED = new Set([
  "set-cookie",
  "set-cookie2",
  "clear-site-data",
  "service-worker-allowed",
  "strict-transport-security",
  "alt-svc",
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

const FORCED = {
  "content-security-policy": "sandbox",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

const isDropped = (name: string): boolean =>
  DROPPED.has(name) || name.startsWith("access-control-");

const isHttpLocation = (location: string): boolean =>
  /^(?:https?:\/\/|\/(?![/\\]))/i.test(location);

/** Names that the answer's own `Connection` header declares to be the hop's. */
const namedByConnection = (headers: Headers): string[] =>
  (headers.get("connection") ?? "")
    .toLowerCase()
    .split(/\s*,\s*/)
    .filter(Boolean);

/** The headers of a tenant-made answer that may leave, with those that make it foreign. */
export function foreignHeaders(from: Headers): Headers {
  const hop = new Set(namedByConnection(from));
  const headers = new Headers();
  for (const [name, value] of from) {
    if (isDropped(name) || hop.has(name)) continue;
    if (name === "location" && !isHttpLocation(value)) continue;
    headers.append(name, value);
  }
  for (const [name, value] of Object.entries(FORCED)) headers.set(name, value);
  return headers;
}

/**
 * An answer that tenant code made or has a say in, as one that cannot act for our origin: it runs
 * in a browser's sandbox, sets no cookie and no policy, and leads only to http(s).
 */
export const foreignAnswer = (answer: Response): Response =>
  new Response(answer.body, { status: answer.status, headers: foreignHeaders(answer.headers) });
