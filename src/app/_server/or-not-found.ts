import { notFound } from "next/navigation";
import { AppError } from "../../server/platform/errors";

/** What a door answers; `not_found` becomes the not-found page, other errors the error page. */
export async function orNotFound<Value>(answer: Promise<Value>): Promise<Value> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") notFound();
    throw error;
  }
}
