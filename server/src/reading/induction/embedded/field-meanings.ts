/** What a skill's fields mean, whatever words their labels take. */

import { labelKey } from "../locators/label-key.ts";
import type { SkillField } from "../skills/skill.ts";
import { meaningOf } from "../words/label-concepts.ts";

const known = new WeakMap<readonly SkillField[], ReadonlyMap<string, SkillField>>();

/** Each meaning that is one field's alone, with that field. */
export function fieldsByMeaning(fields: readonly SkillField[]): ReadonlyMap<string, SkillField> {
  let byMeaning = known.get(fields);
  if (byMeaning !== undefined) return byMeaning;
  const owners = new Map<string, Set<SkillField>>();
  for (const field of fields) {
    for (const label of field.labels) {
      const meaning = meaningOf(labelKey(label));
      // A code is of a thing, and not the thing: `modelo` is a form's number, a model is none.
      if (meaning === null || (field.kind === "identifier" && !/\bno\b|_id\b/.test(meaning)))
        continue;
      owners.set(meaning, (owners.get(meaning) ?? new Set()).add(field));
    }
  }
  byMeaning = new Map(
    [...owners].flatMap(([meaning, own]) => (own.size === 1 ? [[meaning, [...own][0]!]] : [])),
  );
  known.set(fields, byMeaning);
  return byMeaning;
}

export function meaningsOfField(field: SkillField, fields: readonly SkillField[]): string[] {
  return [...fieldsByMeaning(fields)]
    .filter(([, owner]) => owner === field)
    .map(([meaning]) => meaning)
    .sort();
}
