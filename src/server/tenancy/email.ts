import { z } from "zod";

/** An e-mail address, kept in lower case so that one person is one row. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .transform((text) => text.toLowerCase())
  .pipe(z.email());
