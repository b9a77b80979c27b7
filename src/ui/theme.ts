"use client";

import { useState } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Cookie in which the choice is kept, so that the server writes it into the first byte of HTML. */
export const THEME_COOKIE = "berth-theme";
const YEAR_S = 365 * 24 * 60 * 60;

const readTheme = (): Theme => {
  const chosen = typeof document === "undefined" ? "" : document.documentElement.dataset.theme;
  return THEMES.find((theme) => theme === chosen) ?? "system";
};

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
