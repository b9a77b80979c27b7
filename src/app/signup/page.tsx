import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { platform } from "../../server/platform/platform";
import { EntryFrame } from "../../ui/entry-frame";
import { Notice } from "../../ui/notice";
import { SignUpForm } from "../../ui/sign-up-form";
import { currentUser } from "../_server/current-user";
import { createAccount } from "./actions";

export const metadata: Metadata = { title: "Create an account" };

const CLOSED = {
  invite: "This installation takes new people by invitation. Ask a member of your team for one.",
  closed: "This installation takes no new people.",
};

export default async function SignUpPage() {
  if (await currentUser()) redirect("/");
  const mode = platform().env.BERTH_SIGNUP;
  return (
    <EntryFrame
      title="Create an account"
      footer={
        <>
          Have an account?{" "}
          <Link href="/login" className="text-ink underline underline-offset-2">
            Sign in
          </Link>
        </>
      }
    >
      {mode === "open" ? (
        <SignUpForm onSignUp={createAccount} />
      ) : (
        <Notice tone="info" title="Sign-up is not open">
          {CLOSED[mode]}
        </Notice>
      )}
    </EntryFrame>
  );
}
