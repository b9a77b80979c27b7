import { NotFoundView } from "../ui/not-found-view";

export const metadata = { title: "Not found" };

export default function NotFoundPage() {
  return (
    <main>
      <NotFoundView />
    </main>
  );
}
