"use client";

import { DropdownMenu } from "radix-ui";
import type { ComponentProps, ReactNode } from "react";
import { cn } from "./cn";

interface MenuProps {
  trigger: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom";
  children: ReactNode;
}

/** A menu that opens from a button; `trigger` is that button. */
export const Menu = ({ trigger, align = "start", side = "bottom", children }: MenuProps) => (
  <DropdownMenu.Root>
    <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align={align}
        side={side}
        sideOffset={6}
        className="z-50 min-w-48 animate-enter rounded-lg border border-line bg-raised p-1 shadow-pop"
      >
        {children}
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

export const MenuItem = ({ className, ...props }: ComponentProps<typeof DropdownMenu.Item>) => (
  <DropdownMenu.Item
    className={cn(
      "flex w-full cursor-pointer select-none items-center gap-2 rounded-md px-2 py-1.5 text-left text-sm outline-none data-[highlighted]:bg-hover [&_svg]:size-4 [&_svg]:text-faint",
      className,
    )}
    {...props}
  />
);

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="truncate px-2 py-1.5 text-faint text-xs">
    {children}
  </DropdownMenu.Label>
);

export const MenuLine = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />;
