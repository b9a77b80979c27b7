import { ShieldCheck } from "lucide-react";
import Link from "next/link";
import { ApprovalHistory, type DecidedApproval } from "./approval-history";
import { ApprovalList, type PendingApproval } from "./approval-list";
import { AutoRefresh } from "./auto-refresh";
import { Button } from "./button";
import { CommandBlock } from "./command-block";
import { EmptyState } from "./empty-state";
import { FilterLinks, hrefWith } from "./filter-links";
import { Page, PageHeader } from "./page-header";

interface ApprovalInboxProps {
  origin: string;
  org: string;
  /** Path of the page. */
  path: string;
  query: { status?: "resolved" | undefined; cursor?: string | undefined };
  pending: readonly PendingApproval[];
  decided: readonly DecidedApproval[];
  nextCursor: string | null;
  /** The command that lists the same. */
  command: string;
  /** Of all agents of the org. */
  everywhere?: boolean;
}

const CHOICES = [
  { value: undefined, label: "Waiting" },
  { value: "resolved", label: "Decided" },
];

/** Calls that wait for a person, or what was decided; the page is live. */
export function ApprovalInbox(props: ApprovalInboxProps) {
  const { origin, org, path, query, pending, decided, nextCursor, command } = props;
  const showAgent = props.everywhere === true;
  return (
    <Page>
      {query.cursor ? null : <AutoRefresh />}
      <PageHeader
        title="Approvals"
        note={`Calls that a person decides about before they run${showAgent ? ", of all agents" : ""}.`}
      />
      <FilterLinks label="Status" path={path} query={query} name="status" choices={CHOICES} />
      {pending.length > 0 ? (
        <ApprovalList {...{ origin, org, showAgent }} approvals={pending} />
      ) : null}
      {decided.length > 0 ? <ApprovalHistory {...{ org, showAgent }} approvals={decided} /> : null}
      {pending.length + decided.length === 0 ? (
        <NothingHere decided={query.status === "resolved"} command={command} />
      ) : null}
      {nextCursor ? (
        <Button asChild className="justify-self-center">
          <Link href={hrefWith(path, { ...query, cursor: nextCursor })}>Older approvals</Link>
        </Button>
      ) : null}
    </Page>
  );
}

const NothingHere = ({ decided, command }: { decided: boolean; command: string }) => (
  <EmptyState
    icon={<ShieldCheck />}
    title={decided ? "Nothing was decided yet" : "Nothing waits for you"}
  >
    <p>
      A tool with <code className="font-mono">needsApproval</code> stops here before it runs, and
      goes on when somebody approves. From a terminal:
    </p>
    <CommandBlock command={command} />
  </EmptyState>
);
