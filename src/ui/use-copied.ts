"use client";

import { useEffect, useState } from "react";
import { toast } from "sonner";
import { copyText } from "./copy-text";

/** Copies text and says for a moment that it was copied. */
export function useCopied(): { copied: boolean; copy: (text: string) => void } {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (text: string) => {
    void copyText(text).then((done) => {
      setCopied(done);
      if (!done) toast.error("The browser refused to copy. Select the text and copy it.");
    });
  };
  return { copied, copy };
}
