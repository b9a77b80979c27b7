import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cn } from "./cn";

const LOOKS = {
  info: { icon: Info, box: "border-line bg-sunken", mark: "text-soft" },
  warn: { icon: TriangleAlert, box: "border-warn/30 bg-warn-soft", mark: "text-warn" },
  bad: { icon: CircleAlert, box: "border-bad/30 bg-bad-soft", mark: "text-bad" },
} as const;

interface NoticeProps {
  tone: keyof typeof LOOKS;
  title?: string;
  children?: ReactNode;
  className?: string;
}

/** Something people should know, beside what it is about. */
export function Notice({ tone, title, children, className }: NoticeProps) {
  const { icon: Icon, box, mark } = LOOKS[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "note"}
      className={cn("flex gap-2.5 rounded-lg border px-3 py-2.5 text-sm", box, className)}
    >
      <Icon aria-hidden="true" className={cn("mt-0.5 size-4 shrink-0", mark)} />
      <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
        {title ? <p className="font-medium">{title}</p> : null}
        {children ? <div className="text-soft">{children}</div> : null}
      </div>
    </div>
  );
}
