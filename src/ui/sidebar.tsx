"use client";

import { Bot, ChevronsUpDown, Cpu, KeyRound, Plus, Search, ShieldCheck } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { cn } from "./cn";
import { Kbd } from "./kbd";
import { Logo } from "./logo";
import { Menu, MenuItem, MenuLabel, MenuLine } from "./menu";
import type { AgentName } from "./org-places";
import { UserMenu } from "./user-menu";

export interface SidebarProps {
  org: { slug: string; name: string };
  orgs: readonly { slug: string; name: string }[];
  agents: readonly AgentName[];
  user: { name: string; email: string };
  /** How many calls wait for a person. */
  waiting: number;
  /** Path of the page, to mark the place people are at. */
  path: string;
  onSearch(): void;
}

export function Sidebar({ org, orgs, agents, user, waiting, path, onSearch }: SidebarProps) {
  const base = `/${org.slug}`;
  return (
    <div className="flex h-full flex-col gap-4 p-3">
      <OrgMenu org={org} orgs={orgs} />
      <button
        type="button"
        onClick={onSearch}
        className="flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2 text-faint text-sm hover:border-line-strong"
      >
        <Search aria-hidden="true" className="size-3.5" />
        <span className="flex-1 text-left">Search</span>
        <Kbd keys="mod+k" />
      </button>
      <nav aria-label="Main" className="grid min-h-0 flex-1 content-start gap-4 overflow-y-auto">
        <ul className="grid gap-px">
          <Place href={base} at={path} icon={<Bot />} label="Agents" exact />
          <Place
            href={`${base}/~/approvals`}
            at={path}
            icon={<ShieldCheck />}
            label="Approvals"
            count={waiting}
          />
          <Place href={`${base}/~/keys`} at={path} icon={<KeyRound />} label="API keys" />
          <Place href={`${base}/~/models`} at={path} icon={<Cpu />} label="Models" />
        </ul>
        {agents.length > 0 ? (
          <section aria-label="Agents" className="grid gap-1">
            <h2 className="px-2 font-medium text-faint text-xs">Your agents</h2>
            <ul className="grid gap-px">
              {agents.map((agent) => (
                <Place
                  key={agent.slug}
                  href={`${base}/${agent.slug}`}
                  at={path}
                  label={agent.name}
                />
              ))}
            </ul>
          </section>
        ) : null}
      </nav>
      <UserMenu name={user.name} email={user.email} />
    </div>
  );
}

interface PlaceProps {
  href: string;
  at: string;
  label: string;
  icon?: ReactNode;
  exact?: boolean;
  /** Shown beside the label unless it is nothing; 100 stands for more. */
  count?: number;
}

function Place({ href, at, label, icon, exact, count = 0 }: PlaceProps) {
  const here = at === href || (!exact && at.startsWith(`${href}/`));
  return (
    <li>
      <Link
        href={href}
        aria-current={here ? "page" : undefined}
        className={cn(
          "flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-sm [&_svg]:size-4 [&_svg]:shrink-0",
          here ? "bg-hover font-medium text-ink" : "text-soft hover:bg-hover hover:text-ink",
        )}
      >
        {icon}
        <span className="truncate">{label}</span>
        {count > 0 ? (
          <span className="ml-auto rounded-full bg-warn-soft px-1.5 font-medium text-2xs text-warn tabular-nums">
            {count < 100 ? count : "99+"}
            <span className="sr-only"> waiting</span>
          </span>
        ) : null}
      </Link>
    </li>
  );
}

const OrgMenu = ({ org, orgs }: Pick<SidebarProps, "org" | "orgs">) => (
  <Menu
    trigger={
      <button
        type="button"
        className="flex min-w-0 items-center gap-2.5 rounded-md px-1.5 py-1 text-left hover:bg-hover"
      >
        <Logo />
        <span className="min-w-0 flex-1 truncate font-semibold text-sm">{org.name}</span>
        <ChevronsUpDown aria-hidden="true" className="size-3.5 text-faint" />
      </button>
    }
  >
    <MenuLabel>Organisations</MenuLabel>
    {orgs.map(({ slug, name }) => (
      <MenuItem key={slug} asChild>
        <Link href={`/${slug}`}>
          <span className="truncate">{name}</span>
          {name === slug ? null : <span className="text-faint text-xs">{slug}</span>}
        </Link>
      </MenuItem>
    ))}
    <MenuLine />
    <MenuItem asChild>
      <Link href="/?new">
        <Plus />
        New organisation
      </Link>
    </MenuItem>
  </Menu>
);
