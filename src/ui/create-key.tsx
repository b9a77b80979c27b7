"use client";

import { Plus } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { Button } from "./button";
import { CommandBlock } from "./command-block";
import { KeyForm, type NewKey } from "./key-form";
import { Modal } from "./modal";
import { Notice } from "./notice";
import type { Outcome } from "./outcome";

interface CreateKeyProps {
  agents: readonly { id: string; name: string }[];
  /** What the person may hand on. */
  permissions: readonly string[];
  /** Address of the installation, for the commands. */
  origin: string;
  onCreate(key: NewKey): Promise<Outcome<{ token: string }>>;
}

/** Makes an API key and shows its token once. */
export function CreateKey({ agents, permissions, origin, onCreate }: CreateKeyProps) {
  const router = useRouter();
  const [open, setOpen] = useState(false);
  const [token, setToken] = useState<string>();
  const show = (next: boolean) => {
    setOpen(next);
    if (!next) setToken(undefined);
  };
  return (
    <>
      <Button look="primary" onClick={() => show(true)}>
        <Plus />
        New key
      </Button>
      <Modal
        open={open}
        onOpenChange={show}
        title={token ? "Copy the key now" : "New API key"}
        note={
          token
            ? "It is not shown again: Berth keeps only its hash."
            : "For scripts, CI and the CLI."
        }
      >
        {token ? (
          <NewToken token={token} origin={origin} onDone={() => show(false)} />
        ) : (
          <KeyForm
            agents={agents}
            permissions={permissions}
            onCreate={onCreate}
            onCreated={(made) => {
              setToken(made);
              router.refresh();
            }}
          />
        )}
      </Modal>
    </>
  );
}

interface NewTokenProps {
  token: string;
  origin: string;
  onDone(): void;
}

const NewToken = ({ token, origin, onDone }: NewTokenProps) => (
  <div className="grid gap-4">
    <CommandBlock command={token} whole />
    <div className="grid gap-1.5">
      <p className="text-soft text-sm">Use it with the CLI or curl:</p>
      <CommandBlock command={`export BERTH_URL=${origin}\nexport BERTH_TOKEN=${token}`} />
    </div>
    <Notice tone="warn">Treat it like a password: whoever has it acts as this key.</Notice>
    <Button look="primary" onClick={onDone} className="justify-self-end">
      I have copied it
    </Button>
  </div>
);
