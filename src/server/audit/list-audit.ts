import { z } from "zod";
import { invalidRequest } from "../platform/errors";
import { decodeValue } from "../platform/json-safety";
import { query } from "../platform/verb";

const Cursor = z.object({ at: z.iso.datetime(), id: z.string().max(100) });
type Cursor = z.output<typeof Cursor>;

const encodeCursor = (cursor: Cursor): string =>
  Buffer.from(`${cursor.at} ${cursor.id}`).toString("base64url");

function decodeCursor(text: string): Cursor {
  const [at, id] = Buffer.from(text, "base64url").toString().split(" ");
  const parsed = Cursor.safeParse({ at, id });
  if (!parsed.success) throw invalidRequest(parsed.error);
  return parsed.data;
}

/** Audit rows older than the cursor. */
const before = ({ at, id }: Cursor) => ({
  OR: [{ at: { lt: at } }, { at, id: { lt: id } }],
});

/** The org's audit log, newest first, in pages. @throws AppError `invalid_request` for a bad cursor */
export const listAudit = query({
  permission: "audit:read",
  scope: "org",
  input: z.object({
    limit: z.number().int().min(1).max(200).default(50),
    cursor: z.string().optional(),
    /** Only this action, such as `key.create`. */
    action: z.string().optional(),
  }),
  async run({ input, tx }) {
    const rows = await tx.db.auditEntry.findMany({
      where: {
        ...(input.action === undefined ? {} : { action: input.action }),
        ...(input.cursor === undefined ? {} : before(decodeCursor(input.cursor))),
      },
      omit: { orgId: true },
      orderBy: [{ at: "desc" }, { id: "desc" }],
      take: input.limit + 1,
    });
    const entries = rows.slice(0, input.limit).map((row) => ({
      ...row,
      before: decodeValue(row.before),
      after: decodeValue(row.after),
    }));
    const last = rows.length > input.limit ? entries.at(-1) : undefined;
    const nextCursor = last ? encodeCursor({ at: last.at.toISOString(), id: last.id }) : null;
    return { entries, nextCursor };
  },
});
