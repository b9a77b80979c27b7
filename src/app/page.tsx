import Link from "next/link";
import { redirect } from "next/navigation";
import { listMyOrgs } from "../server/tenancy";
import { CreateOrgForm } from "../ui/create-org-form";
import { EntryFrame } from "../ui/entry-frame";
import { requireUser } from "./_server/current-user";
import { foundOrg } from "./actions";

/** The way in: to the only org, to a choice of orgs, or to the first one. */
export default async function HomePage(props: { searchParams: Promise<{ new?: string }> }) {
  const creating = (await props.searchParams).new !== undefined;
  const orgs = await listMyOrgs(await requireUser());
  const [only] = orgs;
  if (only && orgs.length === 1 && !creating) redirect(`/${only.slug}`);
  if (orgs.length === 0 || creating) {
    return (
      <EntryFrame
        title={creating ? "New organisation" : "Create your organisation"}
        note="It holds your agents, their secrets and the people who may use them."
        footer={creating ? <Link href="/">Back</Link> : null}
      >
        <CreateOrgForm onCreate={foundOrg} />
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title="Your organisations" footer={<Link href="/?new">New organisation</Link>}>
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-surface">
        {orgs.map((org) => (
          <li key={org.id}>
            <Link
              href={`/${org.slug}`}
              className="flex items-center justify-between gap-4 px-4 py-3 hover:bg-hover"
            >
              <span className="truncate font-medium">{org.name}</span>
              <span className="text-faint text-sm">{org.role}</span>
            </Link>
          </li>
        ))}
      </ul>
    </EntryFrame>
  );
}
