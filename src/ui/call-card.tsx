"use client";

import { Ban, Check, ChevronRight, CircleStop, Clock, LoaderCircle, X } from "lucide-react";
import { Collapsible } from "radix-ui";
import { type ReactNode, useState } from "react";
import type { CallBlock, CallState } from "../protocol/transcript";
import { CallApproval, CallDecision } from "./call-approval";
import { cn } from "./cn";
import { Elapsed } from "./elapsed";
import { formatDuration } from "./format";
import { JsonView } from "./json-view";

const STATES: Record<CallState, { icon: typeof Check; text: string; look: string }> = {
  running: { icon: LoaderCircle, text: "Running", look: "text-accent [&_svg]:animate-spin" },
  waiting: { icon: Clock, text: "Waits for approval", look: "text-warn" },
  denied: { icon: Ban, text: "Denied", look: "text-bad" },
  ok: { icon: Check, text: "Done", look: "text-ok" },
  error: { icon: X, text: "Error", look: "text-bad" },
  stopped: { icon: CircleStop, text: "Stopped", look: "text-faint" },
};

/** A call's input in one line, as people would say it. */
function preview(input: unknown): string {
  if (input === null || typeof input !== "object") return JSON.stringify(input) ?? "";
  return Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ");
}

/** What asks for attention is open, as is why a person said no and a subagent at work. */
const opensItself = ({ state, subagent }: CallBlock): boolean =>
  ["error", "waiting", "denied"].includes(state) || (state === "running" && subagent !== undefined);

interface CallCardProps {
  call: CallBlock;
  open?: boolean;
  /** What was called during this call. */
  children?: ReactNode;
}

/** One tool call: a line that opens to its input and result. */
export function CallCard({ call, open, children }: CallCardProps) {
  const state = STATES[call.state];
  const [chosen, setChosen] = useState(open);
  return (
    <Collapsible.Root
      open={chosen ?? opensItself(call)}
      onOpenChange={setChosen}
      className="rounded-lg border border-line bg-surface"
    >
      <Collapsible.Trigger className="group flex w-full min-w-0 items-center gap-2 rounded-lg px-2.5 py-2 text-left hover:bg-hover">
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 text-faint transition-transform group-data-[state=open]:rotate-90"
        />
        <span className="shrink-0 font-medium font-mono text-xs">{call.toolName}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-faint text-xs">
          {preview(call.input)}
        </span>
        <span
          className={cn("inline-flex shrink-0 items-center gap-1 text-xs tabular-nums", state.look)}
        >
          <state.icon aria-hidden="true" className="size-3.5" />
          <StateText call={call} />
          <CallTime call={call} />
        </span>
      </Collapsible.Trigger>
      <Collapsible.Content className="grid gap-2.5 border-line border-t p-2.5">
        <CallBeginning call={call} />
        {call.state === "waiting" ? <CallApproval call={call} /> : null}
        {children}
        <CallEnd call={call} />
      </Collapsible.Content>
    </Collapsible.Root>
  );
}

/** A mark says that a call is done; that somebody let it run is worth a word. */
const StateText = ({ call: { state, decision } }: { call: CallBlock }) => {
  if (state !== "ok") return <span>{STATES[state].text}</span>;
  if (decision) return <span>Approved</span>;
  return <span className="sr-only">{STATES.ok.text}</span>;
};

const CallTime = ({ call }: { call: CallBlock }) => {
  if (call.state === "running") return <Elapsed since={call.at} />;
  if (call.durationMs === undefined) return null;
  return <span className="text-faint">{formatDuration(call.durationMs)}</span>;
};

function CallBeginning({ call }: { call: CallBlock }) {
  return (
    <>
      <Part name="Input">
        <JsonView value={call.input} label={`input of ${nameOf(call)}`} />
      </Part>
      {call.retries.map((retry) => (
        <p key={retry.attempt} className="text-warn text-xs">
          Attempt {retry.attempt} after: {retry.error}
        </p>
      ))}
      <CallDecision call={call} />
    </>
  );
}

/** Stands below what was called meanwhile. What a subagent answered is there already. */
function CallEnd({ call }: { call: CallBlock }) {
  const isShown = call.state === "ok" && call.result === call.subagent?.text;
  if (call.result === undefined || isShown) return null;
  const name = resultName(call);
  return (
    <Part name={name}>
      <JsonView value={call.result} label={`${name} of ${nameOf(call)}`.toLowerCase()} />
    </Part>
  );
}

/** A call apart from others of its tool. */
const nameOf = ({ toolName, callId }: CallBlock): string => `${toolName} …${callId.slice(-6)}`;

function resultName(call: CallBlock): string {
  if (call.state === "error") return "Error";
  if (call.state === "denied") return "What the model was told";
  return call.stubbed ? "Result (dry run)" : "Result";
}

const Part = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid gap-1">
    <span className="font-medium text-2xs text-faint">{name}</span>
    {children}
  </div>
);
