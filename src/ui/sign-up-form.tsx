"use client";

import { signIn } from "next-auth/react";
import { Button } from "./button";
import { Field } from "./field";
import { Notice } from "./notice";
import type { Outcome } from "./outcome";
import { useAction } from "./use-action";

export interface NewPerson {
  name: string;
  email: string;
  password: string;
}

interface SignUpFormProps {
  onSignUp(person: NewPerson): Promise<Outcome<NewPerson>>;
}

const enter = async ({ email, password }: NewPerson): Promise<void> => {
  await signIn("credentials", { redirect: false, email, password });
  window.location.assign("/");
};

export function SignUpForm({ onSignUp }: SignUpFormProps) {
  const { run, busy, error } = useAction(onSignUp, (person) => void enter(person));
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const text = (name: string) => String(form.get(name) ?? "");
        run({ name: text("name"), email: text("email"), password: text("password") });
      }}
    >
      {error ? <Notice tone="bad" title={error} /> : null}
      <Field label="Name" name="name" autoComplete="name" required autoFocus />
      <Field label="E-mail" name="email" type="email" autoComplete="username" required />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={12}
        required
        hint="At least 12 characters."
      />
      <Button type="submit" look="primary" size="lg" disabled={busy}>
        {busy ? "Creating…" : "Create account"}
      </Button>
    </form>
  );
}
