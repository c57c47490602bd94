/** How deep a JSON file is nested, before DuckDB goes through it by recursion, of which its process dies. */

import { unpacked } from "./packed-file.ts";

const MOST_LEVELS = 1000;

const [QUOTE, BACKSLASH, LINE, OPEN_LIST, OPEN_OBJECT] = [0x22, 0x5c, 0x0a, 0x5b, 0x7b];
/** `]` and `}` are two behind their opening brackets. */
const CLOSING = 2;

/** @throws Error where it is nested deeper than is taken, with the line */
export async function checkNesting(path: string): Promise<void> {
  let depth = 0;
  let line = 1;
  let isText = false;
  let isEscaped = false;
  for await (const bytes of unpacked(path)) {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === LINE) line++;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
      } else if (byte === QUOTE) isText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        if (++depth > MOST_LEVELS) {
          throw new Error(`line ${line} is nested more than ${MOST_LEVELS} levels deep`);
        }
      } else if (byte === OPEN_LIST + CLOSING || byte === OPEN_OBJECT + CLOSING) depth--;
    }
  }
}
