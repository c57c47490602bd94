/** Names on axes and in legends: short, and still each its own. */

import { textWidth } from "./text-width.ts";

const FONT_SIZE = 12;

/** @param most width in pixels */
export function uniqueLabels(names: readonly string[], most = 160): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const clean = name.replaceAll(/\s+/g, " ").trim();
    const whole = clean === "" ? "(empty)" : clean;
    let label = fitted(whole, most);
    for (let i = 2; taken.has(label); i++) {
      const suffix = ` (${i})`;
      label = fitted(whole, most - textWidth(suffix, FONT_SIZE)) + suffix;
    }
    taken.add(label);
    return label;
  });
}

function fitted(text: string, most: number): string {
  if (textWidth(text, FONT_SIZE) <= most) return text;
  let room = most - textWidth("…", FONT_SIZE);
  let short = "";
  for (const character of text) {
    room -= textWidth(character, FONT_SIZE);
    if (room < 0) break;
    short += character;
  }
  return `${short.trimEnd()}…`;
}
