/**
 * How far each locator of a field is trusted: how often what it finds is what the others find, or a
 * part of it, over the documents that may be looked at. A locator's first guess is its place in the skill's order;
 * agreement moves it, the more the more of its documents show it (Dawid & Skene's estimate of observers'
 * errors, 1979, with the order as prior, two rounds).
 */

import type { Finding } from "../inducer.ts";
import { isPart } from "../part-of.ts";
import { comparingKey } from "../values/same-value.ts";
import type { ValueKind } from "../values/value.ts";

/** Prior trust of the first locator, and of each further one as a share of the one before. */
const FIRST = 0.85;
const NEXT = 0.93;
const LEAST = 0.3;
/** Documents that the prior counts as. */
const PRIOR_WEIGHT = 4;
/** A document in which nothing else finds anything speaks for the prior, as this part of one. */
const UNCOMPARED = 0.25;
const ROUNDS = 2;

export interface Trusts {
  /** One for each locator, 0 to 1. */
  readonly trusts: readonly number[];
  /** The share of comparisons in which locators agreed, or null where none could be compared. */
  readonly agreement: number | null;
}

/** @param found by locator, then by document: what the locator finds first, or null */
export function weighLocators(
  kind: ValueKind,
  found: readonly (readonly (Finding | null)[])[],
): Trusts {
  const keys = statements(kind, found);
  const priors = found.map((_, index) => Math.max(LEAST, FIRST * NEXT ** index));
  let trusts = priors;
  let [agreed, compared] = [0, 0];
  for (let round = 0; round < ROUNDS; round++) {
    [agreed, compared] = [0, 0];
    const before = trusts;
    trusts = keys.map((own, locator) => {
      let [same, seen, alone] = [0, 0, 0];
      for (const [document, key] of own.entries()) {
        if (key === null) continue;
        const consensus = vote(keys, before, document, locator);
        if (consensus === null) {
          alone += 1;
          continue;
        }
        seen += 1;
        if (consensus === key) same += 1;
      }
      agreed += same;
      compared += seen;
      const prior = PRIOR_WEIGHT + UNCOMPARED * alone;
      return (priors[locator]! * prior + same) / (prior + seen);
    });
  }
  return {
    trusts: trusts.map((trust) => Math.round(trust * 1000) / 1000),
    agreement: compared === 0 ? null : agreed / compared,
  };
}

/** A key of what each locator finds in each document: findings that say one thing have one. */
function statements(
  kind: ValueKind,
  found: readonly (readonly (Finding | null)[])[],
): (string | null)[][] {
  const keys = found.map((each) =>
    each.map((finding) => (finding === null ? null : comparingKey(kind, finding.normal))),
  );
  for (const document of found[0]?.keys() ?? []) {
    for (const [locator, each] of found.entries()) {
      const finding = each[document] ?? null;
      if (finding === null) continue;
      const earlier = found
        .slice(0, locator)
        .findIndex((own) => own[document] != null && isPart(kind, own[document], finding));
      if (earlier >= 0) keys[locator]![document] = keys[earlier]![document]!;
    }
  }
  return keys;
}

/** What the other locators hold to be the document's value; null where they find none. */
function vote(
  keys: readonly (readonly (string | null)[])[],
  trusts: readonly number[],
  document: number,
  without: number,
): string | null {
  const weights = new Map<string, number>();
  for (const [locator, own] of keys.entries()) {
    const key = own[document];
    if (locator === without || key === null || key === undefined) continue;
    weights.set(key, (weights.get(key) ?? 0) + trusts[locator]!);
  }
  const [best] = [...weights].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return best?.[0] ?? null;
}
