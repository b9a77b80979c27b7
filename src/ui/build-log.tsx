"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { readHeaders } from "./agent-api";
import { cn } from "./cn";
import { followStream, type StreamPhase } from "./follow-stream";
import { LiveBadge } from "./live-badge";
import { StickyScroll } from "./sticky-scroll";

interface LogLine {
  type: string;
  index?: number;
  at?: string;
  message?: string;
  text?: string;
  phase?: string;
  level?: string;
  stream?: string;
}

/** The lines of a build, live while it runs and the same afterwards. */
export function BuildLog({ source }: { source: string }) {
  const { lines, stream } = useBuildLog(source);
  const first = Date.parse(lines.find((line) => line.at)?.at ?? "");
  return (
    <section className="grid gap-2">
      <div className="flex items-center justify-between">
        <h2 className="font-semibold text-sm">Build log</h2>
        <LiveBadge stream={stream} heardAt={0} />
      </div>
      <div className="flex h-[26rem] flex-col overflow-hidden rounded-lg border border-line bg-sunken">
        <StickyScroll
          label="Build log"
          className="max-w-none gap-0 p-3 font-mono text-xs leading-5"
        >
          {lines.map((line, at) => (
            <LogRow key={line.index ?? `end-${at}`} line={line} since={first} />
          ))}
          {lines.length === 0 ? <p className="text-faint">Waiting for the first line…</p> : null}
        </StickyScroll>
      </div>
    </section>
  );
}

function LogRow({ line, since }: { line: LogLine; since: number }) {
  const seconds = line.at ? ((Date.parse(line.at) - since) / 1000).toFixed(1) : "";
  const bad = line.type === "failed" || line.level === "error";
  return (
    <p className="flex gap-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
      <span className="w-11 shrink-0 select-none text-right text-faint tabular-nums">
        {seconds}
      </span>
      <span className={cn("min-w-0", bad && "text-bad", line.type === "phase" && "font-medium")}>
        {textOf(line)}
      </span>
    </p>
  );
}

function textOf(line: LogLine): string {
  if (line.type === "deployed") return "Deployed.";
  if (line.type === "failed") return "Failed: see the findings above.";
  return line.message ?? line.text ?? line.phase ?? JSON.stringify(line);
}

const isLast = (line: unknown): boolean =>
  ["deployed", "failed"].includes((line as LogLine).type ?? "");

function useBuildLog(source: string) {
  const router = useRouter();
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const [stream, setStream] = useState<StreamPhase>({ phase: "connecting" });
  useEffect(() => {
    const stop = new AbortController();
    void followStream({
      url: (startIndex) => `${source}?startIndex=${startIndex}`,
      startIndex: 0,
      headers: readHeaders(),
      signal: stop.signal,
      isLast,
      onLine: (line) => setLines((all) => [...all, line as LogLine]),
      onPhase: (phase) => {
        setStream(phase);
        // The page around the log shows what the build came to.
        if (phase.phase === "ended") router.refresh();
      },
    });
    return () => {
      stop.abort();
      setLines([]);
    };
  }, [source, router]);
  return { lines, stream };
}
