"use client";

import { useState } from "react";
import { THEME_COOKIE, type Theme, themeOf } from "./theme-cookie";

const YEAR_S = 365 * 24 * 60 * 60;

const readTheme = (): Theme =>
  themeOf(typeof document === "undefined" ? undefined : document.documentElement.dataset.theme);

/** The chosen theme, and a function that changes it at once and for later visits. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState<Theme>(readTheme);
  const choose = (next: Theme) => {
    document.documentElement.dataset.theme = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser
    document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${YEAR_S}; samesite=lax`;
    setTheme(next);
  };
  return [theme, choose];
}
