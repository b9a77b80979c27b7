import { z } from "zod";

/** A secret's name is the environment variable it becomes. */
export const SecretName = z
  .string()
  .max(128)
  .regex(/^[A-Z_][A-Z0-9_]*$/, "capital letters, digits and _; does not start with a digit");

/** Names an agent process needs for itself, or that would change what it loads. */
const RESERVED = /^(?:PATH|HOME|TMPDIR|PWD|SHELL|USER|NODE_OPTIONS|NODE_PATH|LD_.*|BERTH_.*)$/;

export const isReservedSecretName = (name: string): boolean => RESERVED.test(name);
