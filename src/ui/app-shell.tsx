"use client";

import { Menu as MenuIcon, TriangleAlert } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { Dialog } from "radix-ui";
import { type ReactNode, useEffect, useState } from "react";
import { CommandPalette } from "./command-palette";
import { Logo } from "./logo";
import { placesOf } from "./org-places";
import { ShortcutSheet } from "./shortcut-sheet";
import { useShortcut, useShortcutListener } from "./shortcuts";
import { Sidebar, type SidebarProps } from "./sidebar";

interface AppShellProps extends Omit<SidebarProps, "path" | "onSearch"> {
  /** Tenants' code runs without isolation: every page says so. */
  unsafeSandbox: boolean;
  children: ReactNode;
}

/** The frame of every page of an org: navigation, palette, shortcuts, banner. */
export function AppShell({ unsafeSandbox, children, ...nav }: AppShellProps) {
  const path = decodeURIComponent(usePathname());
  const [searching, setSearching] = useState(false);
  const [menu, setMenu] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page closes the menu
  useEffect(() => setMenu(false), [path]);
  useShortcutListener();
  useShortcut("palette", () => setSearching((open) => !open));
  useGoTo("go-agents", `/${nav.org.slug}`);
  useGoTo("go-inbox", `/${nav.org.slug}/~/approvals`);
  useGoTo("go-keys", `/${nav.org.slug}/~/keys`);
  useGoTo("go-models", `/${nav.org.slug}/~/models`);
  const agent = path.split("/")[2];
  const sidebar = <Sidebar {...nav} path={path} onSearch={() => setSearching(true)} />;
  return (
    <div className="flex h-dvh flex-col">
      <a
        href="#main"
        className="sr-only z-50 rounded bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      {unsafeSandbox ? <UnsafeBanner /> : null}
      <div className="flex min-h-0 flex-1">
        <aside className="hidden w-60 shrink-0 border-line border-r bg-sunken lg:block">
          {sidebar}
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <MobileBar title={nav.org.name} open={menu} onOpenChange={setMenu}>
            {sidebar}
          </MobileBar>
          <main id="main" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
            {children}
          </main>
        </div>
      </div>
      <CommandPalette
        open={searching}
        onOpenChange={setSearching}
        entries={placesOf(nav.org.slug, nav.agents, agent)}
      />
      <ShortcutSheet />
    </div>
  );
}

function useGoTo(id: "go-agents" | "go-inbox" | "go-keys" | "go-models", href: string): void {
  const router = useRouter();
  useShortcut(id, () => router.push(href));
}

const UnsafeBanner = () => (
  <div
    role="note"
    className="flex items-center justify-center gap-2 border-line border-b bg-warn-soft px-4 py-1.5 text-center text-warn text-xs"
  >
    <TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />
    Agents run without a sandbox on this installation: their code can reach everything this server
    can.
  </div>
);

interface MobileBarProps {
  title: string;
  open: boolean;
  onOpenChange(open: boolean): void;
  children: ReactNode;
}

const MobileBar = ({ title, open, onOpenChange, children }: MobileBarProps) => (
  <Dialog.Root open={open} onOpenChange={onOpenChange}>
    <header className="flex h-12 shrink-0 items-center gap-2.5 border-line border-b bg-sunken px-3 lg:hidden">
      <Dialog.Trigger
        aria-label="Open navigation"
        className="grid size-9 place-items-center rounded-md text-soft hover:bg-hover"
      >
        <MenuIcon className="size-5" />
      </Dialog.Trigger>
      <Logo className="size-5" />
      <span className="truncate font-semibold text-sm">{title}</span>
    </header>
    <Dialog.Portal>
      <Dialog.Overlay className="fixed inset-0 z-40 bg-black/35 lg:hidden" />
      <Dialog.Content
        aria-describedby={undefined}
        className="fixed inset-y-0 left-0 z-50 w-72 max-w-[85vw] border-line border-r bg-sunken lg:hidden"
      >
        <Dialog.Title className="sr-only">Navigation</Dialog.Title>
        {children}
      </Dialog.Content>
    </Dialog.Portal>
  </Dialog.Root>
);
