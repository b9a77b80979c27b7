import { z } from "zod";
import { Prisma } from "../platform/db";
import { AppError } from "../platform/errors";
import { newId } from "../platform/id";
import { platform } from "../platform/platform";
import { Email } from "./email";
import { hashPassword, Password } from "./password";

export const NewUser = z.object({
  email: Email,
  name: z.string().trim().min(1).max(100),
  password: Password,
});

/** Makes a person's row. @throws AppError `already_exists` when the e-mail is taken */
export async function createUser(input: z.output<typeof NewUser>): Promise<{ userId: string }> {
  const userId = newId("usr");
  const passwordHash = await hashPassword(input.password);
  try {
    await platform().prisma.user.create({
      data: { id: userId, email: input.email, name: input.name, passwordHash },
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new AppError("already_exists", "There is an account with this e-mail; sign in instead.");
  }
  return { userId };
}

const isDuplicate = (error: unknown): boolean =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";
