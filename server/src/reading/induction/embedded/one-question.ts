/**
 * A skill's field asks one question. Of labels that name it and that documents have side by side with
 * different values (a claim's number and its policy's), it takes the one that is most its own; the
 * others are questions of their own.
 */

import type { AlignedField } from "../alignment/align.ts";
import { labelKey } from "../locators/label-key.ts";
import type { SkillField } from "../skills/skill.ts";
import { sameValue } from "../values/same-value.ts";

const FEWEST_DOCUMENTS = 2;

export interface OneQuestion {
  /** Without the labels of those that are left out. */
  readonly field: SkillField;
  readonly named: readonly AlignedField[];
}

/** @param all that name the field */
export function asOneQuestion(field: SkillField, all: readonly AlignedField[]): OneQuestion {
  // Of several sums the money's roles decide.
  if (field.multiple || field.kind === "money") return { field, named: all };
  const known = field.labels.map(labelKey);
  const order = ({ keys }: AlignedField): number =>
    Math.min(...keys.map((key) => known.indexOf(key)).map((at) => (at < 0 ? known.length : at)));
  const named: AlignedField[] = [];
  const out = new Set<string>();
  for (const learned of all.toSorted((a, b) => order(a) - order(b))) {
    if (!named.some((other) => areTwo(learned, other))) named.push(learned);
    else for (const key of learned.keys) out.add(key);
  }
  if (out.size === 0) return { field, named: all };
  const labels = field.labels.filter((_, index) => !out.has(known[index]!));
  return { field: { ...field, labels }, named: all.filter((learned) => named.includes(learned)) };
}

function areTwo(a: AlignedField, b: AlignedField): boolean {
  let [both, different] = [0, 0];
  for (const [document, { kind, finding }] of a.stated) {
    const other = b.stated.get(document);
    if (other === undefined) continue;
    both += 1;
    if (!sameValue(kind, finding.normal, other.finding.normal)) different += 1;
  }
  return both >= FEWEST_DOCUMENTS && different > both / 2;
}
