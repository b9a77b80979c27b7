import { AppError } from "../platform/errors";

/** Request headers that are our credentials, or the hop's own business. */
const WITHHELD = new Set([
  "cookie",
  "proxy-authorization",
  "x-berth-csrf",
  "x-berth-client-address",
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A key of ours, wherever it stands in a value. */
const BERTH_KEY = /\bbth_[A-Za-z0-9]+_[A-Za-z0-9]+/;

/** @throws AppError `forbidden` for a browser that wants to install a service worker from here. */
export function refuseServiceWorker(headers: Headers): void {
  if (headers.get("service-worker")?.toLowerCase() !== "script") return;
  throw new AppError("forbidden", "An agent's answers cannot be service workers.");
}

/** The request headers that tenant code may see: no cookie and no credential of ours. */
export function tenantHeaders(from: Headers): Headers {
  const headers = new Headers();
  for (const [name, value] of from) {
    if (!WITHHELD.has(name) && !BERTH_KEY.test(value)) headers.append(name, value);
  }
  return headers;
}
