export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** Cookie in which the choice is kept, so that the server writes it into the first byte of HTML. */
export const THEME_COOKIE = "berth-theme";

/** A stored choice; anything else follows the system. */
export const themeOf = (value: string | undefined): Theme =>
  THEMES.find((theme) => theme === value) ?? "system";
