import { Compass } from "lucide-react";
import Link from "next/link";
import { Button } from "./button";
import { EmptyState } from "./empty-state";

/** One answer for what does not exist and for what the reader may not see. */
export const NotFoundView = () => (
  <div className="pt-[12vh]">
    <EmptyState alone icon={<Compass />} title="There is nothing here">
      <p>The address is wrong, it was deleted, or you may not see it.</p>
      <Button asChild className="justify-self-center">
        <Link href="/">Go to your agents</Link>
      </Button>
    </EmptyState>
  </div>
);
