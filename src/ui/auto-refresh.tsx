"use client";

import { useRouter } from "next/navigation";
import { useEffect, useTransition } from "react";

/** Keeps a page of lists at most a second old while somebody looks at it. */
export function AutoRefresh() {
  const router = useRouter();
  const [refreshing, start] = useTransition();
  useEffect(() => {
    // The next one is due a second after the last one arrived: slow answers never pile up.
    if (refreshing) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") start(() => router.refresh());
    }, 1000);
    return () => clearInterval(timer);
  }, [refreshing, router]);
  return null;
}
