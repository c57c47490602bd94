/**
 * Whether a sample's documents begin with the names of those they come from, though no legal form or
 * word of business shows them (`Paws & Claws`, `Länskraft Försäkring`): a title would be one in all of
 * them and another in each, where a name comes again, over an address or beside names of companies.
 */

import type { SampleDocument } from "../inducer.ts";
import { isAddressLine } from "../locators/address-block.ts";
import { findLetterhead } from "../locators/letterhead.ts";
import type { SkillField } from "../skills/skill.ts";
import { comparingKey } from "../values/same-value.ts";
import type { Conventions } from "../values/value.ts";

/** Of the documents: those with a name at the head, and those whose name another has as well. */
const LEAST_HEADED = 0.7;
const LEAST_REPEATED = 0.5;
/** Those over an address, or with a sign of a company. */
const LEAST_OVER_ADDRESS = 0.5;
const LEAST_BY_FORM = 0.25;
/** From here on signs of companies find them. */
const MOST_BY_FORM = 0.6;
/** Lines below the name within which its address begins. */
const NEXT_LINES = 2;

export function haveLetterheads(
  documents: readonly SampleDocument[],
  conventions: Conventions,
): boolean {
  const names = new Map<string, number>();
  let [headed, overAddress, byForm] = [0, 0, 0];
  for (const { content } of documents) {
    if (findLetterhead(content, conventions, true).length > 0) byForm += 1;
    const [name] = findLetterhead(content, conventions);
    if (name === undefined) continue;
    headed += 1;
    const key = comparingKey("organization", name.normal);
    names.set(key, (names.get(key) ?? 0) + 1);
    const below = content.lines.filter(({ start }) => start > name.start).slice(0, NEXT_LINES);
    if (below.some(({ text }) => isAddressLine(text) && /\d/.test(text))) overAddress += 1;
  }
  const all = documents.length;
  if (headed < LEAST_HEADED * all || names.size < 2 || byForm >= MOST_BY_FORM * all) return false;
  const repeated = [...names.values()].filter((n) => n > 1).reduce((sum, n) => sum + n, 0);
  if (repeated < LEAST_REPEATED * all) return false;
  return overAddress >= LEAST_OVER_ADDRESS * all || byForm >= LEAST_BY_FORM * all;
}

/** The field, its name at the head of documents taken as it stands. */
export function byLetterhead(field: SkillField): SkillField {
  const locators = field.locators.map((locator) =>
    locator.kind === "position" && locator.region === "top" && locator.isByForm === true
      ? { ...locator, isByForm: false }
      : locator,
  );
  return { ...field, locators };
}
