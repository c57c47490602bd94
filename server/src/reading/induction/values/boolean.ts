/** Yes and no, standing alone, and ticked or empty boxes. */

import { type Kind, typedValue } from "./kind.ts";
import { NEUTRAL_CONVENTIONS, type TypedValue } from "./value.ts";

const YES = "yes|y|true|ja|oui|sí|si|sim|tak|vero|wahr|checked|x|✓|✔|☒|☑|present|applicable";
const NO =
  "no|n|false|nein|nee|non|não|nie|none|nil|falso|unchecked|☐|□|absent|not applicable|keine|keiner|" +
  "keines|aucun|aucune|ninguno|ninguna|nessuno|nessuna|nenhum|nenhuma|geen";
const BOX = "\\[[ ]?[xX✓✔]?[ ]?\\]|[☐☑☒□✓✔]";

/** Alone on its line, in its cell or after a colon. */
const ALONE = new RegExp(
  `(?<=^|\\n|  |[:?] {0,3})(yes|no|true|false|ja|nein|oui|non|nee|sí|sim|não|tak|nie|${BOX})(?=\\.?(?: {2}| ?\\n|$))`,
  "giu",
);

function find(text: string): TypedValue[] {
  const found: TypedValue[] = [];
  for (const match of text.matchAll(ALONE)) {
    const truth = truthOf(match[1]!);
    if (truth === null) continue;
    const end = match.index + match[0].length;
    found.push(typedValue("boolean", match.index, end, truth, 0.8));
  }
  return found;
}

function truthOf(written: string): boolean | null {
  const word = written.toLowerCase();
  if (/^\[[ ]*\]$/.test(word)) return false;
  const key = word.replace(/^\[ ?(.) ?\]$/u, "$1");
  if (YES.split("|").includes(key)) return true;
  return NO.split("|").includes(key) ? false : null;
}

/** A part of an enumeration of counts that counts nothing: `1 None`, `0 minor`. */
const NO_COUNT =
  /^(?:(?:0|zero)\s+\p{L}[\p{L} -]*|\d+\s+(?:none|nil|uninjured|unhurt|unharmed|no injur(?:y|ies)))$/iu;
const LONGEST_DENIAL = 60;
const MOST_DENYING_WORDS = 3;

/** Whether an answer says that there is none: `No`, `none reported`, `0`, `1 None`. */
export function denies(text: string): boolean {
  const answer = text.replace(/^[\s:*.–-]+|[\s.]+$/g, "");
  if (answer.length > LONGEST_DENIAL) return false;
  if (/^(?:0|zero)$/i.test(answer)) return true;
  const parts = answer.split(/\s*[,;/]\s*/);
  if (parts.every((part) => NO_COUNT.test(part))) return true;
  // "No party may assign" is a sentence.
  const isShort = answer.split(/\s+/).length <= MOST_DENYING_WORDS;
  return isShort && BOOLEAN.read(answer, NEUTRAL_CONVENTIONS)?.normal === false;
}

const FIRST_WORD =
  /^[\s:*\-–.]{0,10}(not applicable|\[[ ]?[xX✓✔]?[ ]?\]|[\p{L}]{1,12}|[☐☑☒□✓✔])(?![\p{L}])/iu;

export const BOOLEAN: Kind = {
  find,
  read(text) {
    const match = FIRST_WORD.exec(text);
    const truth = match === null ? null : truthOf(match[1]!);
    if (match === null || truth === null) return null;
    const end = match.index + match[0].length;
    const isAlone = text.slice(end).trim().length < 3;
    return typedValue("boolean", end - match[1]!.length, end, truth, isAlone ? 0.9 : 0.6);
  },
};
