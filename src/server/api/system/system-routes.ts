import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import { notFound } from "../../platform/errors";
import { route } from "../route";
import { Readiness, readiness } from "./readiness";

const tag = "system";
/** The authoring package as the build packs it. */
const PACKAGE_FILE = "dist/berth.tgz";

const healthz = route({
  method: "GET",
  path: "/healthz",
  summary: "Whether this process answers",
  tag,
  auth: "none",
  answer: {
    status: 200,
    description: "It does.",
    schema: z.object({ ok: z.literal(true) }),
  },
  handler: () => Promise.resolve({ ok: true }),
});

const readyz = route({
  method: "GET",
  path: "/readyz",
  summary: "Whether everything the service needs is there; 503 when not",
  tag,
  auth: "none",
  answer: { status: 200, description: "Each part and its state.", schema: Readiness },
  async handler() {
    const state = await readiness();
    return Response.json(state, {
      status: state.ok ? 200 : 503,
      headers: { "cache-control": "no-store" },
    });
  },
});

const authoringPackage = route({
  method: "GET",
  path: "/download/berth.tgz",
  summary: "The authoring package that projects install",
  tag,
  auth: "none",
  answer: { status: 200, description: "A package for npm.", type: "application/gzip" },
  async handler() {
    const path = resolve(PACKAGE_FILE);
    const file = await stat(path).catch(() => undefined);
    if (!file?.isFile()) throw notFound();
    return new Response(Readable.toWeb(createReadStream(path)) as ReadableStream, {
      headers: { "content-type": "application/gzip", "content-length": String(file.size) },
    });
  },
});

export const systemRoutes = [healthz, readyz, authoringPackage];
