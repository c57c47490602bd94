/** Members of JSON objects that are named more than once: all but the last are lost where a text is parsed. */

const COLON = 0x3a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * How many members the objects of a text may have, counted as they are written: no fewer than there are, and
 * more only where a text in it has a quote before a colon. It takes far less time than parsing does.
 *
 * @param text JSON
 */
export function writtenMembers(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at >= 0; at = text.indexOf(":", at + 1)) {
    let before = at - 1;
    // Spaces, tabs and line ends, below which JSON has nothing.
    while (before >= 0 && text.charCodeAt(before) <= 0x20) before--;
    if (text.charCodeAt(before) === QUOTE) count++;
  }
  return count;
}

interface Level {
  /** Null = a list. */
  readonly names: Set<string> | null;
  /** The member or the item that is read. */
  key: string | number;
}

/**
 * The first member whose object has its name already, as the names and places that lead to it; null where there is
 * none.
 *
 * @param text JSON
 */
export function repeatedMember(text: string): readonly (string | number)[] | null {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === QUOTE) {
      const start = at;
      for (at++; text.charCodeAt(at) !== QUOTE; at++) {
        if (at >= text.length) return null;
        if (text.charCodeAt(at) === BACKSLASH) at++;
      }
      if (!level?.names || !isName(text, at + 1)) continue;
      const name: string = JSON.parse(text.slice(start, at + 1));
      level.key = name;
      if (level.names.has(name)) return levels.map(({ key }) => key);
      level.names.add(name);
    } else if (code === 0x7b) levels.push({ names: new Set(), key: "" });
    else if (code === 0x5b) levels.push({ names: null, key: 0 });
    else if (code === 0x7d || code === 0x5d) levels.pop();
    else if (code === 0x2c && level && typeof level.key === "number") level.key++;
  }
  return null;
}

function isName(text: string, from: number): boolean {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === COLON;
}
