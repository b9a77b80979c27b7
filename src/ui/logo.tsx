import { cn } from "./cn";

/** The mark: a vessel in its berth. */
export const Logo = ({ className }: { className?: string }) => (
  <svg viewBox="0 0 32 32" aria-hidden="true" className={cn("size-6", className)}>
    <rect width="32" height="32" rx="8" fill="#0d5c73" />
    <path
      d="M8 8v9a7 7 0 0 0 7 7h2a7 7 0 0 0 7-7V8"
      fill="none"
      stroke="#fff"
      strokeWidth="3"
      strokeLinecap="round"
    />
    <circle cx="16" cy="13.5" r="3.5" fill="#fff" />
  </svg>
);
