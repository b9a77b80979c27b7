import type { ReactNode } from "react";
import type { Manifest } from "../protocol/manifest";
import { callCommand } from "./commands";
import { CopyButton } from "./copy-button";

interface Entry {
  name: string;
  text?: string | undefined;
  /** A command that uses it. */
  command?: string | undefined;
  /** Short facts beside the name. */
  facts?: readonly (string | undefined)[];
}

type Section = readonly [title: string, entries: readonly Entry[]];

const toolEntry = (tool: Manifest["tools"][number], base: string): Entry => ({
  name: tool.name,
  text: tool.description,
  // Tools of the workspace run in sessions only.
  command: tool.execution === "server" ? callCommand(base, tool.name, tool.inputSchema) : undefined,
  facts: [
    tool.execution === "agent" ? "in the workspace" : undefined,
    tool.effect === "write" ? "writes" : undefined,
    tool.needsApproval === "never" ? undefined : "needs approval",
  ],
});

const named = ({ name, file }: { name: string; file: string }): Entry => ({ name, text: file });

/** Everything a version offers and needs, by kind; kinds it has none of are absent. */
function sectionsOf(manifest: Manifest, base: string): Section[] {
  const all: Section[] = [
    ["Tools", manifest.tools.map((tool) => toolEntry(tool, base))],
    ["Skills", manifest.skills.map((skill) => ({ name: skill.name, text: skill.description }))],
    [
      "Subagents",
      manifest.subagents.map(({ name, description, model }) => ({
        ...{ name, text: description, facts: [model?.id] },
      })),
    ],
    [
      "Schedules",
      manifest.schedules.map(({ name, cron, prompt }) => ({ name, text: prompt, facts: [cron] })),
    ],
    [
      "Channels",
      manifest.channels.map(({ name, kind, routes }) => ({
        name,
        text: routes.map((route) => `${route.method} ${route.path}`).join(", "),
        facts: [kind],
      })),
    ],
    ["Hooks", manifest.hooks.map(({ name, events }) => ({ name, text: events.join(", ") }))],
    ["Connections", [...manifest.mcpConnections, ...manifest.hostConnections].map(named)],
    ["Reminders", manifest.reminders.map(named)],
    ["Extensions", manifest.extensions.map(named)],
    ["Network access", manifest.egressDomains.map((name) => ({ name }))],
    ["Secrets it reads", manifest.secretNames.map((name) => ({ name }))],
  ];
  return all.filter(([, entries]) => entries.length > 0);
}

interface AgentSurfaceProps {
  manifest: Manifest;
  /** Path of the agent, `/{org}/{agent}`. */
  base: string;
}

/** What an agent is made of, from the manifest of its active version. */
export const AgentSurface = ({ manifest, base }: AgentSurfaceProps) => (
  <div className="gap-x-10 lg:columns-2">
    {sectionsOf(manifest, base).map(([title, entries]) => (
      <SurfaceSection key={title} title={title} count={entries.length}>
        {entries.map((entry) => (
          <SurfaceEntry key={entry.name} {...entry} />
        ))}
      </SurfaceSection>
    ))}
  </div>
);

interface SurfaceSectionProps {
  title: string;
  count: number;
  children: ReactNode;
}

const SurfaceSection = ({ title, count, children }: SurfaceSectionProps) => (
  <section className="mb-8 break-inside-avoid">
    <h2 className="flex items-baseline gap-2 border-line border-b pb-1.5 font-semibold text-sm">
      {title}
      <span className="font-normal text-faint text-xs tabular-nums">{count}</span>
    </h2>
    <ul className="divide-y divide-line">{children}</ul>
  </section>
);

const SurfaceEntry = ({ name, text, command, facts = [] }: Entry) => (
  <li className="group relative grid gap-0.5 py-2">
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="font-medium font-mono text-xs [overflow-wrap:anywhere]">{name}</span>
      {facts.map((fact) =>
        fact ? (
          <span
            key={fact}
            className="rounded border border-line px-1.5 font-mono text-2xs text-faint"
          >
            {fact}
          </span>
        ) : null,
      )}
    </div>
    {text ? <p className="line-clamp-2 pr-8 text-faint text-sm">{text}</p> : null}
    {command ? (
      <CopyButton
        text={command}
        label={`Copy the command that calls ${name}`}
        className="absolute top-1.5 right-0"
      />
    ) : null}
  </li>
);
