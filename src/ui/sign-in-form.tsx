"use client";

import { signIn } from "next-auth/react";
import { type FormEvent, useState } from "react";
import { Button } from "./button";
import { Field } from "./field";
import { Notice } from "./notice";

const REASONS: Readonly<Record<string, string>> = {
  invalid_credentials: "That e-mail and password do not match an account.",
  CredentialsSignin: "That e-mail and password do not match an account.",
  rate_limited: "Too many tries. Wait a minute, then try again.",
};

const reasonOf = (code: string): string => REASONS[code] ?? "Sign-in failed. Try again.";

interface SignInFormProps {
  /** Path on this installation to go to. */
  next: string;
  /** Code that a failed sign-in left in the address. */
  failed?: string | undefined;
}

export function SignInForm({ next, failed }: SignInFormProps) {
  const [error, setError] = useState(failed && reasonOf(failed));
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(undefined);
    const answer = await signIn("credentials", {
      redirect: false,
      email: form.get("email"),
      password: form.get("password"),
    }).catch(() => undefined);
    // A full load: every part of the page belongs to the person who signed in.
    if (answer?.ok && !answer.error) return window.location.assign(next);
    setError(answer?.error ? reasonOf(answer.error) : "The server could not be reached.");
    setBusy(false);
  };
  return (
    <form className="grid gap-4" onSubmit={(event) => void submit(event)}>
      {error ? <Notice tone="bad" title={error} /> : null}
      <Field label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
      />
      <Button type="submit" look="primary" size="lg" disabled={busy}>
        {busy ? "Signing in…" : "Sign in"}
      </Button>
    </form>
  );
}
