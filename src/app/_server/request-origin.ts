import { headers } from "next/headers";
import { CLIENT_ADDRESS_HEADER } from "../../server/limits";
import { newUuid } from "../../server/platform/id";
import type { RequestOrigin } from "../../server/tenancy";

/** Where the page's request came from, for contexts and the audit log. */
export async function requestOrigin(): Promise<RequestOrigin> {
  const ip = (await headers()).get(CLIENT_ADDRESS_HEADER);
  return { via: "ui", ip, requestId: newUuid() };
}
