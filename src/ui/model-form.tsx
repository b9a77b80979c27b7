"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "./button";
import { Field } from "./field";
import { Modal } from "./modal";
import { Notice } from "./notice";
import type { Outcome } from "./outcome";
import { SelectField } from "./select-field";
import { useAction } from "./use-action";

export interface NewModel {
  name: string;
  kind: string;
  baseUrl?: string;
  apiKey?: string;
}

interface ModelFormProps {
  kinds: readonly { value: string; label: string }[];
  onSet(model: NewModel): Promise<Outcome<null>>;
}

/** Adds a model provider or replaces its key. Keys go in and never come back. */
export function ModelForm({ kinds, onSet }: ModelFormProps) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const [kind, setKind] = useState(kinds[0]?.value ?? "");
  const { run, busy, error } = useAction(onSet, () => {
    setOpen(false);
    router.refresh();
  });
  const submit = (form: FormData) => {
    const text = (name: string) => String(form.get(name) ?? "").trim();
    run({
      kind,
      name: text("name") || kind,
      ...(text("baseUrl") ? { baseUrl: text("baseUrl") } : {}),
      ...(text("apiKey") ? { apiKey: text("apiKey") } : {}),
    });
  };
  const compatible = kind === "openai-compatible";
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        <Plus />
        Set provider
      </Button>
      <Modal
        open={open}
        onOpenChange={setOpen}
        title="Set a model provider"
        note="A provider that exists gets the new key."
      >
        <form
          className="grid gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit(new FormData(event.currentTarget));
          }}
        >
          {error ? <Notice tone="bad" title={error} /> : null}
          <SelectField
            label="Kind"
            name="kind"
            value={kind}
            onChange={(event) => setKind(event.target.value)}
            choices={kinds}
          />
          <Field
            label="Name"
            name="name"
            placeholder={kind}
            required={compatible}
            hint="Models are written as name/model."
          />
          <Field
            label="Base URL"
            name="baseUrl"
            type="url"
            required={compatible}
            placeholder={compatible ? "https://models.example.com/v1" : "The provider's own"}
          />
          <Field
            label="API key"
            name="apiKey"
            type="password"
            autoComplete="off"
            required={!compatible}
          />
          <Button type="submit" look="primary" disabled={busy} className="justify-self-end">
            {busy ? "Saving…" : "Save"}
          </Button>
        </form>
      </Modal>
    </>
  );
}
