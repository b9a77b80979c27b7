"use client";

import { useRouter } from "next/navigation";
import { toast } from "sonner";
import { Button } from "./button";
import type { Outcome } from "./outcome";
import { useAction } from "./use-action";

interface ActivateButtonProps {
  version: number;
  /** Why this person or this version cannot. */
  blocked?: string | undefined;
  onActivate(version: number): Promise<Outcome<null>>;
}

/** Makes a version the one that new turns run on; going back to an older one is the same act. */
export function ActivateButton({ version, blocked, onActivate }: ActivateButtonProps) {
  const router = useRouter();
  const { run, busy, error } = useAction(onActivate, () => {
    toast.success(`Version ${version} is active.`);
    router.refresh();
  });
  return (
    <div className="grid justify-items-end gap-1">
      <Button
        look="primary"
        disabled={busy || blocked !== undefined}
        title={blocked ?? "New turns run on this version; running ones keep theirs"}
        onClick={() => run(version)}
      >
        {busy ? "Activating…" : "Activate"}
      </Button>
      {error ? (
        <p role="alert" className="max-w-xs text-right text-bad text-xs">
          {error}
        </p>
      ) : null}
    </div>
  );
}
