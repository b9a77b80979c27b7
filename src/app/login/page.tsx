import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { platform } from "../../server/platform/platform";
import { EntryFrame } from "../../ui/entry-frame";
import { SignInForm } from "../../ui/sign-in-form";
import { currentUser } from "../_server/current-user";

export const metadata: Metadata = { title: "Sign in" };

/** Only a path of this installation: never an address that leads elsewhere. */
const ownPath = (next: string | undefined): string =>
  next && /^\/(?![/\\])/.test(next) ? next : "/";

export default async function LoginPage(props: {
  searchParams: Promise<{ next?: string; error?: string }>;
}) {
  const { next, error } = await props.searchParams;
  if (await currentUser()) redirect(ownPath(next));
  const signUp = platform().env.BERTH_SIGNUP === "open";
  return (
    <EntryFrame
      title="Sign in to Berth"
      note="The home of your team's agents."
      footer={
        signUp ? (
          <>
            No account yet?{" "}
            <Link href="/signup" className="text-ink underline underline-offset-2">
              Create one
            </Link>
          </>
        ) : (
          "No account yet? Ask a member of your team to invite you."
        )
      }
    >
      <SignInForm next={ownPath(next)} failed={error} />
    </EntryFrame>
  );
}
