const MISSING = new Set(["ENOENT", "ENOTDIR", "ELOOP"]);

/** For `catch`: the guest may remove or swap an entry between two looks at it. */
export function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (!MISSING.has(error.code ?? "")) throw error;
}

/** Whether the guest shut this process out, which it can where both are one user. */
export const isDenied = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === "EACCES";
