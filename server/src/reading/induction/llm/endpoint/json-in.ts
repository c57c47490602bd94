/**
 * The JSON object in what a model wrote: models that are only told in words wrap it in a code fence,
 * a greeting, or what they thought before.
 */

/** Undefined where there is none. */
export function jsonIn(text: string): unknown {
  const start = text.indexOf("{", text.lastIndexOf("</think>"));
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    // Cut off or not JSON: the caller asks again.
    return undefined;
  }
}
