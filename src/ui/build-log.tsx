"use client";

import { useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { type BUILD_PHASES, type BuildLogLine, endsBuildLog } from "../protocol/build-log";
import { readHeaders } from "./agent-api";
import { followStream, type StreamPhase } from "./follow-stream";
import { LiveBadge } from "./live-badge";
import { StickyScroll } from "./sticky-scroll";

/** The lines of a build, live while it runs and the same afterwards. */
export function BuildLog({ source }: { source: string }) {
  const { lines, stream } = useBuildLog(source);
  const since = Date.parse(lines[0]?.at ?? "");
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
          {lines.map((line) => (
            <LogRow key={line.index} line={line} since={since} />
          ))}
          {lines.length === 0 ? <p className="text-faint">Waiting for the first line…</p> : null}
        </StickyScroll>
      </div>
    </section>
  );
}

const PHASES: Record<(typeof BUILD_PHASES)[number], string> = {
  extract: "Unpacking",
  scan: "Reading the project",
  install: "Installing packages",
  bundle: "Bundling",
  describe: "Describing the agent",
  activate: "Activating",
};

interface LogRowProps {
  line: BuildLogLine;
  /** When the first line was written, in milliseconds since 1970. */
  since: number;
}

const LogRow = ({ line, since }: LogRowProps) => (
  <p className="flex gap-3 whitespace-pre-wrap [overflow-wrap:anywhere]">
    <span className="w-11 shrink-0 select-none text-right text-faint tabular-nums">
      {((Date.parse(line.at) - since) / 1000).toFixed(1)}
    </span>
    <LogText line={line} />
  </p>
);

function LogText({ line }: { line: BuildLogLine }) {
  switch (line.type) {
    case "phase":
      return <span className="font-semibold">{PHASES[line.phase]}</span>;
    case "log":
      return <span className="min-w-0 text-soft">{line.text}</span>;
    case "diagnostic":
      return (
        <span className={line.diagnostic.severity === "error" ? "text-bad" : "text-warn"}>
          {line.diagnostic.file}: {line.diagnostic.message}
        </span>
      );
    case "deployed":
      return <span className="font-semibold text-ok">Deployed as version {line.version}</span>;
    case "failed":
      return <span className="font-semibold text-bad">The build failed</span>;
  }
}

function useBuildLog(source: string) {
  const router = useRouter();
  const [lines, setLines] = useState<readonly BuildLogLine[]>([]);
  const [stream, setStream] = useState<StreamPhase>({ phase: "connecting" });
  useEffect(() => {
    const stop = new AbortController();
    void followStream({
      url: (startIndex) => `${source}?startIndex=${startIndex}`,
      startIndex: 0,
      headers: readHeaders(),
      signal: stop.signal,
      isLast: (line) => endsBuildLog(line as BuildLogLine),
      onLine: (line) => setLines((all) => [...all, line as BuildLogLine]),
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
