import { NotFoundView } from "../../ui/not-found-view";

export const metadata = { title: "Not found" };

/** Inside an org: the frame around it stays. */
export default function NotFoundInOrgPage() {
  return <NotFoundView />;
}
