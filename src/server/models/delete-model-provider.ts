import { z } from "zod";
import { notFound } from "../platform/errors";
import { mutation } from "../platform/verb";

/** Removes a model provider and its key. @throws AppError `not_found` */
export const deleteModelProvider = mutation({
  permission: "models:manage",
  scope: "org",
  input: z.object({ name: z.string() }),
  action: "model-provider.delete",
  async run({ input, tx }) {
    const { count } = await tx.db.modelProvider.deleteMany({ where: { name: input.name } });
    if (count === 0) throw notFound();
  },
  audit: (_result, { name }) => ({ entityId: name }),
});
