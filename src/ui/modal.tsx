"use client";

import { X } from "lucide-react";
import { Dialog } from "radix-ui";
import type { ReactNode } from "react";
import { cn } from "./cn";

interface ModalProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  note?: string;
  /** Hides the title from sight, not from readers. */
  bare?: boolean;
  className?: string;
  children: ReactNode;
}

/** A dialog above the page: it keeps the focus and gives it back. */
export function Modal({ open, onOpenChange, title, note, bare, className, children }: ModalProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/35" />
        <Dialog.Content
          {...(note ? {} : { "aria-describedby": undefined })}
          className={cn(
            "fixed top-[10vh] left-1/2 z-50 max-h-[82vh] w-[min(32rem,calc(100vw-2rem))] -translate-x-1/2 animate-enter overflow-auto rounded-xl border border-line bg-raised shadow-pop",
            bare ? "" : "p-5",
            className,
          )}
        >
          <div className={bare ? "sr-only" : "mb-4 pr-8"}>
            <Dialog.Title className="font-semibold text-lg">{title}</Dialog.Title>
            {note ? (
              <Dialog.Description className="text-faint text-sm">{note}</Dialog.Description>
            ) : null}
          </div>
          {children}
          {bare ? null : (
            <Dialog.Close
              aria-label="Close"
              className="absolute top-4 right-4 grid size-7 place-items-center rounded-md text-faint hover:bg-hover hover:text-ink"
            >
              <X className="size-4" />
            </Dialog.Close>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
