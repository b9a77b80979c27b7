import type { Product } from "../support/product";

/** The `name=value` parts of the cookies an answer sets. */
const cookiesOf = (response: Response): string[] =>
  response.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");

/** Signs the demo person in as the browser does; resolves to the headers of their requests. */
export async function signIn({ url, email, password }: Product): Promise<Record<string, string>> {
  const form = await fetch(`${url}/api/auth/csrf`);
  const { csrfToken } = (await form.json()) as { csrfToken: string };
  const answer = await fetch(`${url}/api/auth/callback/credentials`, {
    method: "POST",
    redirect: "manual",
    headers: { cookie: cookiesOf(form).join("; ") },
    body: new URLSearchParams({ csrfToken, email, password, json: "true" }),
  });
  const cookie = cookiesOf(answer).join("; ");
  const page = await (await fetch(`${url}/`, { headers: { cookie } })).text();
  const csrf = /<meta name="berth-csrf" content="([^"]+)"/.exec(page)?.[1];
  if (!csrf) throw new Error(`The demo login does not sign in (${answer.status}).`);
  return { cookie, origin: url, "x-berth-csrf": csrf, "content-type": "application/json" };
}

/** API keys of one service account: each may ask at the full rate, all see the same sessions. */
export async function makeKeys(product: Product, count: number): Promise<string[]> {
  const headers = await signIn(product);
  const make = async (n: number, account: { serviceAccountId?: string }) => {
    const body = JSON.stringify({ name: `bench-${n}`, ...account });
    const keys = `${product.url}/api/v1/orgs/${product.org}/keys`;
    const answer = await fetch(keys, { method: "POST", headers, body });
    const made = (await answer.json()) as { token?: string; serviceAccountId?: string };
    const { token, serviceAccountId } = made;
    if (!token || !serviceAccountId) throw new Error(`No key for the bench: ${answer.status}`);
    return { token, serviceAccountId };
  };
  const { token, serviceAccountId } = await make(0, {});
  const others = Array.from({ length: count - 1 }, (_, n) => make(n + 1, { serviceAccountId }));
  return [token, ...(await Promise.all(others)).map((key) => key.token)];
}
