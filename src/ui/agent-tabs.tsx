"use client";

import Link from "next/link";
import { usePathname, useRouter } from "next/navigation";
import { cn } from "./cn";
import { AGENT_PLACES } from "./org-places";
import { useShortcut } from "./shortcuts";

/** The pages of one agent. */
export function AgentTabs({ base }: { base: string }) {
  const path = decodeURIComponent(usePathname());
  const router = useRouter();
  const [overview, playground, sessions, artifacts, approvals, deployments] = AGENT_PLACES.map(
    (place) => base + place.path,
  );
  useShortcut("go-overview", () => router.push(overview ?? base));
  useShortcut("go-playground", () => router.push(playground ?? base));
  useShortcut("go-sessions", () => router.push(sessions ?? base));
  useShortcut("go-artifacts", () => router.push(artifacts ?? base));
  useShortcut("go-approvals", () => router.push(approvals ?? base));
  useShortcut("go-deployments", () => router.push(deployments ?? base));
  return (
    <nav aria-label="Agent" className="-mb-px flex gap-4 overflow-x-auto sm:gap-5">
      {AGENT_PLACES.map((place) => {
        const href = base + place.path;
        const here = path === href || (place.path !== "" && path.startsWith(`${href}/`));
        return (
          <Link
            key={href}
            href={href}
            aria-current={here ? "page" : undefined}
            className={cn(
              "shrink-0 border-b-2 pt-1.5 pb-2 text-sm",
              here
                ? "border-accent font-medium text-ink"
                : "border-transparent text-soft hover:text-ink",
            )}
          >
            {place.label}
          </Link>
        );
      })}
    </nav>
  );
}
