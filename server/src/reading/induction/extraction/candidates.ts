/**
 * What the locators of a question find in a document, equal values taken together, best first.
 */

import type { DocumentText } from "../../parsing/document-text.ts";
import type { Finding } from "../inducer.ts";
import { locate } from "../locators/locate.ts";
import type { Target } from "../locators/locator.ts";
import { isPart } from "../part-of.ts";
import type { Answerer } from "../schema.ts";
import type { Conventions, Normal } from "../values/value.ts";

/** How far other evidence speaks for (above 1) or against (below 1) a value. */
export type Evidence = (finding: Finding) => number;

/** Findings of one locator that count. */
const MOST_FINDINGS = 40;

/** A second finding of one locator says little more than its first. */
const REPEATED = 0.15;

/** How far the runner-up's confidence is taken off the winner's. */
const RIVALRY = 0.3;

/** A value with how its finding compares to the others. */
export interface Candidate extends Finding {
  /** Findings of it besides the first of each locator. */
  readonly repeats: number;
}

interface Support {
  finding: Finding;
  /** Best confidence by each locator, trust included. */
  readonly byLocator: Map<number, number>;
  repeats: number;
}

export function candidatesOf(
  { target, locators }: Answerer,
  content: DocumentText,
  conventions: Conventions,
  evidence: Evidence | null,
): Candidate[] {
  const supports = new Map<string, Support>();
  for (const [index, { locator, trust }] of locators.entries()) {
    const findings = locate(content, locator, target, conventions).slice(0, MOST_FINDINGS);
    for (const finding of findings) {
      const confidence = finding.confidence * trust;
      const key = sameness(finding.normal);
      const support = supports.get(key) ?? partOf(finding, target, supports);
      if (support === undefined) {
        supports.set(key, {
          finding: { ...finding, confidence },
          byLocator: new Map([[index, confidence]]),
          repeats: 0,
        });
        continue;
      }
      const known = support.byLocator.get(index);
      if (known === undefined) support.byLocator.set(index, confidence);
      else {
        support.repeats += 1;
        support.byLocator.set(index, Math.max(known, confidence));
      }
      if (confidence > support.finding.confidence) support.finding = { ...finding, confidence };
    }
  }
  const weighed = [...supports.values()].map(({ finding, byLocator, repeats }) => {
    let doubt = 1;
    for (const confidence of byLocator.values()) doubt *= 1 - confidence;
    doubt *= (1 - REPEATED * finding.confidence) ** Math.min(3, repeats);
    const odds = ((1 - doubt) / Math.max(doubt, 1e-3)) * (evidence?.(finding) ?? 1);
    return { ...finding, repeats, confidence: odds / (1 + odds) };
  });
  weighed.sort((a, b) => b.confidence - a.confidence || a.start - b.start || a.end - b.end);
  const [best, next] = weighed;
  if (best !== undefined && next !== undefined && !target.multiple) {
    weighed[0] = { ...best, confidence: best.confidence * (1 - RIVALRY * next.confidence) };
  }
  return weighed;
}

/** What says more, or less, of the same: it agrees. Of several values each is its own. */
function partOf(
  finding: Finding,
  { kind, multiple }: Target,
  supports: ReadonlyMap<string, Support>,
): Support | undefined {
  if (multiple) return undefined;
  return [...supports.values()].find((support) => isPart(kind, support.finding, finding));
}

/** Equal for values that are one, however they were written. */
function sameness(normal: Normal): string {
  if (typeof normal !== "string") return `${typeof normal} ${normal}`;
  return normal.toLowerCase().replace(/[\s\p{P}\p{S}]+/gu, "") || normal;
}
