import { Lock } from "lucide-react";
import { EmptyState } from "./empty-state";

/** A page that this person's role does not open. */
export const MissingPermission = ({ permission }: { permission: string }) => (
  <EmptyState alone icon={<Lock />} title="Not for your role">
    <p>
      This page needs the permission <code className="font-mono">{permission}</code>. An owner or
      admin of the organisation can give you a role that has it.
    </p>
  </EmptyState>
);
