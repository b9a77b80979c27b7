"use client";

import { useState } from "react";
import { Button } from "./button";
import { Field } from "./field";
import { groupBy } from "./group-by";
import { Notice } from "./notice";
import type { Outcome } from "./outcome";
import { SelectField } from "./select-field";
import { useAction } from "./use-action";

export interface NewKey {
  name: string;
  permissions: string[];
  agentId?: string;
  /** `null` never expires. */
  expiresInDays: number | null;
}

interface KeyFormProps {
  agents: readonly { id: string; name: string }[];
  permissions: readonly string[];
  onCreate(key: NewKey): Promise<Outcome<{ token: string }>>;
  onCreated(token: string): void;
}

const EXPIRIES = [
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
];

/** What most keys are for: deploy, talk, call, read. */
const USUAL: ReadonlySet<string> = new Set([
  "agents:create",
  "agents:read",
  "agents:invoke",
  "tools:call",
  "deployments:read",
  "deployments:write",
  "secrets:write",
  "sessions:read",
]);

export function KeyForm({ agents, permissions, onCreate, onCreated }: KeyFormProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(permissions.filter((permission) => USUAL.has(permission))),
  );
  const { run, busy, error } = useAction(onCreate, ({ token }) => onCreated(token));
  const toggle = (permission: string) => {
    const next = new Set(chosen);
    if (!next.delete(permission)) next.add(permission);
    setChosen(next);
  };
  const submit = (form: FormData) => {
    const agentId = String(form.get("agent") ?? "");
    const days = String(form.get("expiry") ?? "");
    run({
      name: String(form.get("name") ?? ""),
      permissions: [...chosen],
      expiresInDays: days === "" ? null : Number(days),
      ...(agentId === "" ? {} : { agentId }),
    });
  };
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit(new FormData(event.currentTarget));
      }}
    >
      {error ? <Notice tone="bad" title={error} /> : null}
      <Field label="Name" name="name" placeholder="ci-deploy" required hint="What will use it." />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label="Agents"
          name="agent"
          choices={[
            { value: "", label: "All agents" },
            ...agents.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <SelectField label="Expires after" name="expiry" defaultValue="90" choices={EXPIRIES} />
      </div>
      <PermissionChoice permissions={permissions} chosen={chosen} onToggle={toggle} />
      <Button
        type="submit"
        look="primary"
        disabled={busy || chosen.size === 0}
        className="justify-self-end"
      >
        {busy ? "Creating…" : "Create key"}
      </Button>
    </form>
  );
}

interface PermissionChoiceProps {
  permissions: readonly string[];
  chosen: ReadonlySet<string>;
  onToggle(permission: string): void;
}

const PermissionChoice = ({ permissions, chosen, onToggle }: PermissionChoiceProps) => (
  <fieldset className="grid gap-2">
    <legend className="mb-1.5 font-medium text-sm">
      Permissions <span className="font-normal text-faint">{chosen.size} chosen</span>
    </legend>
    <div className="grid max-h-56 gap-y-1 overflow-y-auto rounded-lg border border-line px-3 py-2">
      {groupBy(permissions, (permission) => permission.split(":")[0] ?? "").map(([name, all]) => (
        <div key={name} className="grid grid-cols-[6.5rem_1fr] items-baseline gap-2 text-sm">
          <span className="text-faint">{name}</span>
          <span className="flex flex-wrap gap-x-4 gap-y-1">
            {all.map((permission) => (
              <label key={permission} className="flex items-center gap-1.5">
                <input
                  type="checkbox"
                  checked={chosen.has(permission)}
                  onChange={() => onToggle(permission)}
                  aria-label={permission}
                  className="size-3.5 accent-accent"
                />
                {permission.split(":")[1]}
              </label>
            ))}
          </span>
        </div>
      ))}
    </div>
  </fieldset>
);
