"use server";

import { PROVIDER_KINDS, setModelProvider } from "../../../../server/models";
import { AppError } from "../../../../server/platform/errors";
import type { NewModel } from "../../../../ui/model-form";
import type { Outcome } from "../../../../ui/outcome";
import { orgPage } from "../../../_server/org-page";
import { toOutcome } from "../../../_server/to-outcome";

export async function setModel(org: string, model: NewModel): Promise<Outcome<null>> {
  const { ctx } = await orgPage(org);
  const kind = PROVIDER_KINDS.find((known) => known === model.kind);
  const work = kind
    ? setModelProvider(ctx, { ...model, kind })
    : Promise.reject(new AppError("invalid_request", "Choose one of the kinds."));
  const done = await toOutcome(work);
  return done.ok ? { ok: true, value: null } : done;
}
