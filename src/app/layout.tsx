import type { Metadata, Viewport } from "next";
import { cookies } from "next/headers";
import type { ReactNode } from "react";
import { Toaster } from "sonner";
import { csrfTokenFor } from "../server/tenancy";
import { THEME_COOKIE, themeOf } from "../ui/theme-cookie";
import { currentUser } from "./_server/current-user";
import "./globals.css";

export const metadata: Metadata = {
  title: { default: "Berth", template: "%s · Berth" },
  description: "The home of your team's agents",
};

export const viewport: Viewport = { width: "device-width", initialScale: 1 };

export default async function RootLayout({ children }: { children: ReactNode }) {
  const theme = themeOf((await cookies()).get(THEME_COOKIE)?.value);
  const user = await currentUser();
  return (
    <html lang="en" data-theme={theme} suppressHydrationWarning>
      <head>{user ? <meta name="berth-csrf" content={csrfTokenFor(user.sid)} /> : null}</head>
      <body>
        {children}
        <Toaster
          position="bottom-right"
          toastOptions={{ className: "!bg-raised !text-ink !border-line !shadow-pop" }}
        />
      </body>
    </html>
  );
}
