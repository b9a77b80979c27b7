"use server";

import { signUp } from "../../server/tenancy";
import type { Outcome } from "../../ui/outcome";
import type { NewPerson } from "../../ui/sign-up-form";
import { requestOrigin } from "../_server/request-origin";
import { toOutcome } from "../_server/to-outcome";

export async function createAccount(person: NewPerson): Promise<Outcome<NewPerson>> {
  const { name, email, password } = person;
  const made = await toOutcome(signUp({ name, email, password }, await requestOrigin()));
  return made.ok ? { ok: true, value: person } : made;
}
