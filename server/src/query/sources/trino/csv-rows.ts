/** Rows of an answer as CSV. */

import type { ValueType } from "./values.ts";

/** Texts are joined up to about this many characters, then encoded. */
const CHUNK_CHARACTERS = 256 * 1024;

export function* csvRows(
  rows: readonly (readonly unknown[])[],
  types: readonly ValueType[],
): Generator<Uint8Array, void> {
  let text = "";
  for (const row of rows) {
    for (let index = 0; index < types.length; index++) {
      if (index > 0) text += ",";
      const value = row[index];
      if (value === null || value === undefined) continue;
      const type = types[index]!;
      text += type.free ? field(type.text(value)) : type.text(value);
    }
    text += "\n";
    if (text.length >= CHUNK_CHARACTERS) {
      yield Buffer.from(text);
      text = "";
    }
  }
  if (text !== "") yield Buffer.from(text);
}

function field(text: string): string {
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
