"use client";

import { useState } from "react";
import { groupBy } from "./group-by";
import { Kbd } from "./kbd";
import { Modal } from "./modal";
import { SHORTCUTS, useActiveShortcuts, useShortcut } from "./shortcuts";

/** The `?` sheet: what works on this page, from the table that makes it work. */
export function ShortcutSheet() {
  const [open, setOpen] = useState(false);
  useShortcut("sheet", () => setOpen(true));
  const active = useActiveShortcuts();
  const groups = groupBy(active, (id) => SHORTCUTS[id].group);
  return (
    <Modal open={open} onOpenChange={setOpen} title="Keyboard shortcuts">
      <div className="grid gap-5">
        {groups.map(([group, ids]) => (
          <section key={group} className="grid gap-1">
            <h3 className="font-medium text-faint text-xs">{group}</h3>
            <dl>
              {ids.map((id) => (
                <div key={id} className="flex items-center justify-between gap-4 py-1 text-sm">
                  <dt>{SHORTCUTS[id].label}</dt>
                  <dd>
                    <Kbd keys={SHORTCUTS[id].keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
