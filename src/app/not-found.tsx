import { Compass } from "lucide-react";
import Link from "next/link";
import { Button } from "../ui/button";
import { EmptyState } from "../ui/empty-state";

export const metadata = { title: "Not found" };

/** One page for what does not exist and for what the reader may not see. */
export default function NotFoundPage() {
  return (
    <main className="pt-[12vh]">
      <EmptyState icon={<Compass />} title="There is nothing here">
        <p>The address is wrong, it was deleted, or you may not see it.</p>
        <Button asChild className="justify-self-center">
          <Link href="/">Go to your agents</Link>
        </Button>
      </EmptyState>
    </main>
  );
}
