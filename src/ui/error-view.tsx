"use client";

import { CloudAlert } from "lucide-react";
import { Button } from "./button";
import { EmptyState } from "./empty-state";

interface ErrorViewProps {
  error: Error & { digest?: string };
  reset(): void;
}

/** A page that failed: what to do, and the mark that finds the failure in the server's log. */
export const ErrorView = ({ error, reset }: ErrorViewProps) => (
  <div className="pt-[12vh]">
    <EmptyState alone icon={<CloudAlert />} title="This page could not be loaded">
      <p>Something failed on the server. Trying again often helps.</p>
      {error.digest ? (
        <p className="font-mono text-faint text-xs">reference {error.digest}</p>
      ) : null}
      <Button onClick={reset} className="justify-self-center">
        Try again
      </Button>
    </EmptyState>
  </div>
);
