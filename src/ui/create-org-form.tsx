"use client";

import { useState } from "react";
import { Button } from "./button";
import { Field } from "./field";
import { Notice } from "./notice";
import type { Outcome } from "./outcome";
import { useAction } from "./use-action";

interface CreateOrgFormProps {
  onCreate(org: { slug: string; name: string }): Promise<Outcome<{ slug: string }>>;
}

/** A name as it can stand in an address. */
const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 64);

export function CreateOrgForm({ onCreate }: CreateOrgFormProps) {
  const [name, setName] = useState("");
  const [slug, setSlug] = useState<string>();
  const { run, busy, error } = useAction(onCreate, (org) => window.location.assign(`/${org.slug}`));
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        run({ name, slug: slug ?? slugOf(name) });
      }}
    >
      {error ? <Notice tone="bad" title={error} /> : null}
      <Field
        label="Name"
        name="name"
        value={name}
        onChange={(event) => setName(event.target.value)}
        required
      />
      <Field
        label="Address"
        name="slug"
        value={slug ?? slugOf(name)}
        onChange={(event) => setSlug(event.target.value)}
        required
        hint="Part of the address of every agent: letters, digits, - and _."
      />
      <Button type="submit" look="primary" size="lg" disabled={busy}>
        {busy ? "Creating…" : "Create organisation"}
      </Button>
    </form>
  );
}
