"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { useRef } from "react";
import { ApprovalPanel } from "./approval-panel";
import { JsonView } from "./json-view";
import { useShortcut } from "./shortcuts";
import { TimeAgo } from "./time-ago";

export interface PendingApproval {
  callId: string;
  sessionId: string;
  /** The agent's slug. */
  agent: string;
  toolName: string;
  input: unknown;
  /** Whose message led to the call, as people know them. */
  principal: string;
  requestedAt: string;
  expiresAt: string;
  blocked?: string | undefined;
}

interface ApprovalListProps {
  origin: string;
  org: string;
  /** Says of which agent each is, where there are several. */
  showAgent?: boolean;
  approvals: readonly PendingApproval[];
}

/** Calls that wait for a person. `j` and `k` move between them. */
export function ApprovalList({ origin, org, showAgent, approvals }: ApprovalListProps) {
  const router = useRouter();
  const list = useRef<HTMLUListElement>(null);
  const move = (by: 1 | -1) => {
    const cards = [...(list.current?.querySelectorAll<HTMLElement>("[data-card]") ?? [])];
    const at = cards.findIndex((card) => card.contains(document.activeElement));
    const start = at === -1 && by === -1 ? cards.length : at;
    cards[Math.min(cards.length - 1, Math.max(0, start + by))]?.focus();
  };
  useShortcut("next", () => move(1));
  useShortcut("previous", () => move(-1));
  return (
    <ul ref={list} aria-label="Waiting for a decision" className="grid min-w-0 gap-4">
      {approvals.map((approval) => (
        <li key={approval.callId} className="min-w-0">
          <ApprovalCard
            approval={approval}
            base={`/${org}/${approval.agent}`}
            origin={origin}
            showAgent={showAgent === true}
            onDecided={() => router.refresh()}
          />
        </li>
      ))}
    </ul>
  );
}

interface ApprovalCardProps {
  approval: PendingApproval;
  base: string;
  origin: string;
  showAgent: boolean;
  onDecided(): void;
}

const ApprovalCard = ({ approval, base, origin, showAgent, onDecided }: ApprovalCardProps) => (
  <article
    data-card
    // biome-ignore lint/a11y/noNoninteractiveTabindex: j and k bring people to the card
    tabIndex={0}
    aria-label={`${approval.toolName}, asked by ${approval.principal}`}
    className="grid min-w-0 gap-3 rounded-lg border border-line bg-surface p-4"
  >
    <header className="grid gap-0.5">
      <h2 className="truncate font-medium font-mono text-sm">{approval.toolName}</h2>
      <p className="flex flex-wrap items-center gap-x-2.5 gap-y-0.5 text-faint text-xs">
        {showAgent ? (
          <Link href={base} className="text-soft underline hover:text-ink">
            {approval.agent}
          </Link>
        ) : null}
        <Link
          href={`${base}/sessions/${approval.sessionId}`}
          className="text-soft underline hover:text-ink"
        >
          Session
        </Link>
        <span className="truncate">for {approval.principal}</span>
        <span>
          asked <TimeAgo at={approval.requestedAt} />
        </span>
        <span>
          expires <TimeAgo at={approval.expiresAt} />
        </span>
      </p>
    </header>
    <JsonView
      value={approval.input}
      label={`input of ${approval.toolName} …${approval.callId.slice(-6)}`}
    />
    <ApprovalPanel
      {...{ origin, base, onDecided }}
      callId={approval.callId}
      toolName={approval.toolName}
      blocked={approval.blocked}
    />
  </article>
);
