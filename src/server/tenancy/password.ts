import { hash, verify } from "@node-rs/argon2";
import { z } from "zod";

/** Argon2id, the package's default algorithm: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Of a random password nobody knows: what a sign-in without an account is checked against. */
const NOBODY =
  "$argon2id$v=19$m=19456,t=2,p=1$78/zqGczJKpP7S+3XM8cRw$vqGYlhqvXNcLB/Lh5xaPbrZyqC4Ndc1SE99ozegPwxY";

/** A new password: 10 to 256 characters. */
export const Password = z.string().min(10, "has at least 10 characters").max(256);

export const hashPassword = (password: string): Promise<string> => hash(password, PARAMETERS);

/** Whether a password is the one behind the hash; as slow without a hash as with one. */
export async function verifyPassword(
  passwordHash: string | null | undefined,
  password: string,
): Promise<boolean> {
  const matches = await verify(passwordHash ?? NOBODY, password);
  return matches && Boolean(passwordHash);
}
