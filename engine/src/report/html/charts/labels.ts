/** Names on axes and in legends: short, and still each its own. */

import { shortened } from "../format.ts";

export function uniqueLabels(names: readonly string[], most = 24): string[] {
  const seen = new Map<string, number>();
  const taken = new Set<string>();
  return names.map((name) => {
    const short = shortened(name === "" ? "(empty)" : name.replaceAll(/\s+/g, " "), most);
    let label = short;
    for (let i = seen.get(short) ?? 2; taken.has(label); i++) {
      label = `${short} (${i})`;
      seen.set(short, i + 1);
    }
    taken.add(label);
    return label;
  });
}
