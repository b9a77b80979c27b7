"use client";

import { LogOut, Monitor, Moon, Sun } from "lucide-react";
import { signOut } from "next-auth/react";
import { Menu, MenuItem, MenuLabel, MenuLine } from "./menu";
import { useShortcut } from "./shortcuts";
import { useTheme } from "./theme";
import { THEMES, type Theme } from "./theme-cookie";

const ICONS: Record<Theme, typeof Sun> = { system: Monitor, light: Sun, dark: Moon };
const NAMES: Record<Theme, string> = { system: "Follow the system", light: "Light", dark: "Dark" };

/** A full load: nothing of the person stays in the page. */
async function leave(): Promise<void> {
  await signOut({ redirect: false });
  window.location.assign("/login");
}

interface UserMenuProps {
  name: string;
  email: string;
}

/** Who is signed in, the theme, and the way out. */
export function UserMenu({ name, email }: UserMenuProps) {
  const [theme, setTheme] = useTheme();
  useShortcut("theme", () =>
    setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system"),
  );
  return (
    <Menu
      side="top"
      trigger={
        <button
          type="button"
          className="flex w-full min-w-0 items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
        >
          <span
            aria-hidden="true"
            className="grid size-6 shrink-0 place-items-center rounded-full bg-accent-soft font-medium text-2xs text-accent uppercase"
          >
            {name.slice(0, 2)}
          </span>
          <span className="min-w-0 flex-1 truncate text-sm">{name}</span>
        </button>
      }
    >
      <MenuLabel>{email}</MenuLabel>
      <MenuLine />
      {THEMES.map((choice) => {
        const Icon = ICONS[choice];
        return (
          <MenuItem
            key={choice}
            onSelect={() => setTheme(choice)}
            className={choice === theme ? "font-medium" : "text-soft"}
          >
            <Icon />
            {NAMES[choice]}
          </MenuItem>
        );
      })}
      <MenuLine />
      <MenuItem onSelect={() => void leave()}>
        <LogOut />
        Sign out
      </MenuItem>
    </Menu>
  );
}
