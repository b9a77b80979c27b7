import { memo } from "react";
import type { Block, CallBlock, TurnItem } from "../protocol/transcript";
import { ArtifactChip } from "./artifact-chip";
import { CallCard } from "./call-card";
import { cn } from "./cn";
import { Markdown } from "./markdown";
import { Notice } from "./notice";
import { ReasoningBlock } from "./reasoning-block";
import { TurnFooter } from "./turn-footer";

interface TurnViewProps {
  turn: TurnItem;
  /** Index of the event that the address points at. */
  marked?: number | undefined;
}

/** One turn of the agent: what it thought, called and said, in the order of the log. */
export const TurnView = memo(({ turn, marked }: TurnViewProps) => {
  const top = turn.blocks.filter((block) => block.parentCallId === undefined);
  return (
    <article aria-label="Agent" id={`event-${turn.index}`} className="grid min-w-0 gap-3">
      {turn.status === "queued" ? <QueuedLine position={turn.position} /> : null}
      {turn.attempt > 1 ? (
        <p className="text-faint text-xs">
          Attempt {turn.attempt}: the worker of the attempt before went away.
        </p>
      ) : null}
      {top.map((block) => (
        <BlockView key={block.key} block={block} all={turn.blocks} marked={marked} />
      ))}
      {turn.status === "running" && !isSpeaking(turn) ? <Working /> : null}
      {turn.status === "failed" && turn.error ? (
        <Notice tone="bad" title={turn.error.message}>
          <code className="font-mono text-xs">{turn.error.code}</code>
        </Notice>
      ) : null}
      <TurnFooter turn={turn} />
    </article>
  );
});
TurnView.displayName = "TurnView";

interface BlockViewProps {
  block: Block;
  all: readonly Block[];
  marked: number | undefined;
}

function BlockView({ block, all, marked }: BlockViewProps) {
  const isMarked = block.index === marked;
  return (
    <div
      id={`event-${block.index}`}
      className={cn("min-w-0 scroll-mt-24", isMarked && "-m-2 rounded-lg bg-accent-soft p-2")}
    >
      <BlockBody block={block} all={all} marked={marked} />
    </div>
  );
}

function BlockBody({ block, all, marked }: BlockViewProps) {
  switch (block.kind) {
    case "text":
      return <Markdown text={block.text} />;
    case "reasoning":
      return <ReasoningBlock block={block} />;
    case "note":
      return <p className="text-faint text-xs">{block.text}</p>;
    case "artifact":
      return <ArtifactChip artifact={block} />;
    case "call":
      return (
        <CallCard call={block} {...(block.index === marked ? { open: true } : {})}>
          <Nested parent={block} all={all} marked={marked} />
        </CallCard>
      );
  }
}

interface NestedProps {
  parent: CallBlock;
  all: readonly Block[];
  marked: number | undefined;
}

function Nested({ parent, all, marked }: NestedProps) {
  const inner = all.filter((block) => block.parentCallId === parent.callId);
  if (inner.length === 0 && !parent.subagent) return null;
  return (
    <div className="grid gap-2.5 border-line border-l-2 pl-3">
      {parent.subagent ? (
        <p className="text-faint text-xs">
          Subagent <span className="font-mono">{parent.subagent.name}</span>
        </p>
      ) : null}
      {inner.map((block) => (
        <BlockView key={block.key} block={block} all={all} marked={marked} />
      ))}
    </div>
  );
}

/** Whether something on the screen already shows that the turn goes on. */
function isSpeaking(turn: TurnItem): boolean {
  const last = turn.blocks.at(-1);
  if (last?.kind === "call") return last.state === "running" || last.state === "waiting";
  return last?.kind === "text" || last?.kind === "reasoning" ? !last.done : false;
}

const Working = () => (
  <p role="status" className="inline-flex items-center gap-1 text-faint text-sm">
    <span className="sr-only">The agent is working</span>
    <span aria-hidden="true" className="h-4 w-[3px] animate-blink rounded-full bg-accent" />
  </p>
);

const QueuedLine = ({ position }: { position: number | undefined }) => (
  <p role="status" className="text-faint text-sm">
    {position ? `Queued behind ${position} ${position === 1 ? "turn" : "turns"}` : "Queued"}
  </p>
);
