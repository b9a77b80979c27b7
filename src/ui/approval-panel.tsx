"use client";

import { Check, X } from "lucide-react";
import { useId, useState, useTransition } from "react";
import { explain, sendJson } from "./agent-api";
import { Button } from "./button";
import { decideCommands } from "./commands";
import { INPUT } from "./field";
import { Snippets } from "./snippets";

const MAX_REASON = 2_000;

interface ApprovalPanelProps {
  /** Address of the installation, for commands. */
  origin: string;
  /** Path of the agent, `/{org}/{agent}`. */
  base: string;
  callId: string;
  toolName: string;
  /** Why this person may not decide. */
  blocked?: string | undefined;
  onDecided?: (() => void) | undefined;
}

/** Lets a person approve or deny a call, with a reason that the model is told. */
export function ApprovalPanel(props: ApprovalPanelProps) {
  const { origin, base, callId, toolName, blocked } = props;
  const { decide, decided, error } = useDecision(props);
  const [reason, setReason] = useState("");
  const fieldId = useId();
  if (blocked) return <p className="text-soft text-sm">{blocked}</p>;
  return (
    <fieldset className="grid min-w-0 gap-2" disabled={decided !== undefined}>
      <legend className="sr-only">Decide about {toolName}</legend>
      <label htmlFor={fieldId} className="sr-only">
        Reason for {toolName}
      </label>
      <input
        id={fieldId}
        value={reason}
        maxLength={MAX_REASON}
        placeholder="Reason, told to the model (optional)"
        onChange={(event) => setReason(event.target.value)}
        className={INPUT}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" onClick={() => decide("approve", reason)}>
          <Check />
          {decided === "approve" ? "Approved" : "Approve"}
        </Button>
        <Button look="danger" onClick={() => decide("deny", reason)}>
          <X />
          {decided === "deny" ? "Denied" : "Deny"}
        </Button>
        <span role="status" className="min-w-0 text-bad text-sm [overflow-wrap:anywhere]">
          {error}
        </span>
      </div>
      <details className="min-w-0 text-faint text-xs">
        <summary className="w-fit cursor-pointer rounded hover:text-ink">From a terminal</summary>
        <div className="mt-1.5">
          <Snippets
            label="Decide with"
            snippets={decideCommands({ origin, base }, callId, reason)}
          />
        </div>
      </details>
    </fieldset>
  );
}

type Decision = "approve" | "deny";

function useDecision({ base, callId, onDecided }: ApprovalPanelProps) {
  const [decided, setDecided] = useState<Decision>();
  const [error, setError] = useState<string>();
  const [, start] = useTransition();
  const [, org, agent] = base.split("/");
  const decide = (decision: Decision, reason: string) => {
    setDecided(decision);
    setError(undefined);
    start(async () => {
      try {
        const body = { decision, ...(reason.trim() ? { reason } : {}) };
        await sendJson("POST", `/api/v1/orgs/${org}/agents/${agent}/approvals/${callId}`, body);
        onDecided?.();
      } catch (thrown) {
        setDecided(undefined);
        setError(explain(thrown));
      }
    });
  };
  return { decide, decided, error };
}
