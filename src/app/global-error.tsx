"use client";

import { ErrorView } from "../ui/error-view";
import "./globals.css";

/** Stands in for the whole document when the outermost layout fails. */
export default function GlobalError(props: { error: Error & { digest?: string }; reset(): void }) {
  return (
    <html lang="en">
      <body>
        <ErrorView {...props} />
      </body>
    </html>
  );
}
