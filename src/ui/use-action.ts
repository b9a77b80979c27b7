"use client";

import { useState, useTransition } from "react";
import type { Outcome } from "./outcome";

/** Runs an action of a form: whether it runs, why the last run failed, and how to run it. */
export function useAction<Input, Value>(
  action: (input: Input) => Promise<Outcome<Value>>,
  onDone: (value: Value) => void,
) {
  const [error, setError] = useState<string>();
  const [busy, start] = useTransition();
  const run = (input: Input) =>
    start(async () => {
      setError(undefined);
      const outcome = await action(input).catch(
        (): Outcome<Value> => ({ ok: false, message: "The server could not be reached." }),
      );
      if (outcome.ok) onDone(outcome.value);
      else setError(outcome.message);
    });
  return { run, busy, error };
}
