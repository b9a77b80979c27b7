import type { PaletteEntry } from "./command-palette";
import type { ShortcutId } from "./shortcuts";

export interface AgentName {
  slug: string;
  name: string;
}

interface AgentPlace {
  label: string;
  path: string;
  shortcut: ShortcutId;
}

/** The pages of an agent, in the order of its tabs. */
export const AGENT_PLACES: readonly AgentPlace[] = [
  { label: "Overview", path: "", shortcut: "go-overview" },
  { label: "Playground", path: "/playground", shortcut: "go-playground" },
  { label: "Sessions", path: "/sessions", shortcut: "go-sessions" },
  { label: "Artifacts", path: "/artifacts", shortcut: "go-artifacts" },
  { label: "Approvals", path: "/approvals", shortcut: "go-approvals" },
  { label: "Deployments", path: "/deployments", shortcut: "go-deployments" },
];

/** Everything the palette can open in an org; the pages of the current agent come first. */
export function placesOf(
  org: string,
  agents: readonly AgentName[],
  current: string | undefined,
): PaletteEntry[] {
  const here = agents.find((agent) => agent.slug === current);
  const pages = AGENT_PLACES.map((place) => ({
    group: here?.name ?? "",
    label: place.label,
    href: `/${org}/${here?.slug}${place.path}`,
    shortcut: place.shortcut,
  }));
  return [
    ...(here ? pages : []),
    ...agents.map(({ slug, name }) => ({
      group: "Agents",
      label: name,
      href: `/${org}/${slug}/playground`,
      keywords: [slug],
    })),
    { group: "Organisation", label: "Agents", href: `/${org}`, shortcut: "go-agents" as const },
    {
      group: "Organisation",
      label: "Approvals",
      href: `/${org}/~/approvals`,
      shortcut: "go-inbox" as const,
    },
    { group: "Organisation", label: "API keys", href: `/${org}/~/keys`, shortcut: "go-keys" },
    { group: "Organisation", label: "Models", href: `/${org}/~/models`, shortcut: "go-models" },
  ];
}
