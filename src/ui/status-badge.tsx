import { cn } from "./cn";

type Tone = "ok" | "live" | "wait" | "bad" | "off";

interface Look {
  label: string;
  tone: Tone;
  means: string;
}

const LOOKS: Readonly<Record<string, Look>> = {
  // sessions and turns
  new: { label: "New", tone: "off", means: "Nothing was sent yet" },
  queued: { label: "Queued", tone: "wait", means: "Waits for a free slot" },
  running: { label: "Running", tone: "live", means: "The agent is working" },
  waiting: { label: "Waiting", tone: "ok", means: "The agent answered and waits for a message" },
  parked: { label: "Needs approval", tone: "wait", means: "A person decides about a call" },
  completed: { label: "Completed", tone: "ok", means: "Finished; takes no more messages" },
  finished: { label: "Finished", tone: "ok", means: "The turn ended with an answer" },
  cancelled: { label: "Stopped", tone: "off", means: "Stopped by a person or a newer message" },
  failed: { label: "Failed", tone: "bad", means: "Ended with an error" },
  // approvals
  approved: { label: "Approved", tone: "ok", means: "A person let the call run" },
  denied: { label: "Denied", tone: "bad", means: "The call was not run" },
  // deployments
  building: { label: "Building", tone: "live", means: "Installing, bundling, describing" },
  ready: { label: "Ready", tone: "off", means: "Built; not the active version" },
  active: { label: "Active", tone: "ok", means: "New turns run on this version" },
  // keys
  expired: { label: "Expired", tone: "off", means: "No longer accepted" },
  revoked: { label: "Revoked", tone: "off", means: "No longer accepted" },
};

const DOTS: Record<Tone, string> = {
  ok: "bg-ok",
  live: "bg-accent animate-pulse",
  wait: "bg-warn",
  bad: "bg-bad",
  off: "bg-faint",
};

/** A state as a dot and a word; hovering says what it means. */
export function StatusBadge({ status, className }: { status: string; className?: string }) {
  const look = LOOKS[status] ?? { label: status, tone: "off" as const, means: status };
  return (
    <span
      title={look.means}
      className={cn("inline-flex items-center gap-1.5 whitespace-nowrap text-sm", className)}
    >
      <span aria-hidden="true" className={cn("size-1.5 shrink-0 rounded-full", DOTS[look.tone])} />
      <span className={look.tone === "bad" ? "text-bad" : "text-soft"}>{look.label}</span>
    </span>
  );
}
