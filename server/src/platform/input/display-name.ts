/** What people call a thing: any text that shows as one, on one line. */
import { z } from "zod";

/** The longest name of a dataset, a job or a key, in UTF-16 units. */
export const NAME_LIMIT = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Something to see: more than spaces, zero-width characters, fillers and marks of direction. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;

/** What is wrong with a text as a name; null where nothing is. */
export function faultOfName(text: string): string | null {
  if (CONTROL.test(text)) return "a name holds no line breaks and no other control characters";
  return VISIBLE.test(text)
    ? null
    : "a name holds a character that can be seen, not only blank ones";
}

/**
 * A name, or nothing where nothing is chosen.
 * @param limit UTF-16 units
 */
export const displayNameOrEmpty = (limit = NAME_LIMIT): z.ZodString =>
  z
    .string()
    .max(limit)
    .superRefine((text, context) => {
      const fault = text === "" ? null : faultOfName(text);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    });

export const displayName = (limit?: number): z.ZodString => displayNameOrEmpty(limit).min(1);

/** A name by that of a file, without what no name may hold; null where nothing of it can be seen. */
export function nameOfFile(fileName: string | null | undefined): string | null {
  const name = Array.from((fileName ?? "").replaceAll(new RegExp(CONTROL, "g"), " "));
  let shown = "";
  for (const character of name) {
    if (shown.length + character.length > NAME_LIMIT) break;
    shown += character;
  }
  return faultOfName(shown) === null ? shown : null;
}
