/** Texts of a request that are kept, and so must be what a database takes. */

import { z } from "zod";

/** Any text of whole characters, but without NUL. */
export const storableText = (): z.ZodString =>
  z
    .string()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is refused
    .regex(/^[^\u0000]*$/, "should hold no NUL character")
    .refine((text) => text.isWellFormed(), "should hold no halves of surrogate pairs");

/** The name of a file or a column: one line. */
export const nameText = (): z.ZodString =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  storableText().regex(/^[^\u0000-\u001f\u007f]*$/, "should hold no control characters");
