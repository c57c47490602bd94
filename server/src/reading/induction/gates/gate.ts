/** What a gate is: a judge of one field by what its locators answer in the sample. */

import type { Answer } from "../extract.ts";
import type { InductionRequest, Proposal, SampleDocument } from "../inducer.ts";

/** A field and what extraction answers for it. */
export interface ObservedField {
  readonly proposal: Proposal;
  /** To the use case and the skill, 0 to 1. */
  readonly relevance: number;
  /** Whether the use case speaks of it. */
  readonly isAsked: boolean;
  /** Whether the use case names it, by the words that the documents call it. */
  readonly isNamed: boolean;
  /** One for each document of the sample, by hash; null where it states none. */
  readonly answers: readonly (Answer | null)[];
}

export interface GateContext {
  readonly request: InductionRequest;
  /** By hash. */
  readonly documents: readonly SampleDocument[];
  /** Of each document, whether it was kept from the inducer; all where the sample is small. */
  readonly isHeld: readonly boolean[];
}

export interface Verdict {
  readonly gate: string;
  readonly passed: boolean;
  /** Passed, but only where fewer fields than questions pass without it. */
  readonly isSpare?: boolean;
  /** The figure that was judged, where there is one. */
  readonly score: number | null;
  /** Why it passed below the bar, or what was wrong. */
  readonly note: string | null;
}

export type Gate = (field: ObservedField, context: GateContext) => Verdict;

export function isPresence({ proposal }: ObservedField): boolean {
  return (
    proposal.kind === "boolean" &&
    proposal.locators.some(({ locator }) => locator.kind === "presence")
  );
}

/**
 * Whether documents name it by a label of its own, or by words on both sides that sentences of several have alike, or a
 * skill knows it: it is no piece of a sentence.
 */
export function isFieldOfForm({ proposal }: ObservedField): boolean {
  const { origin, kind, labels, locators, weight } = proposal;
  // What else phrases tell is of a kind that shows by its form.
  if (kind === "text" && locators.some(({ locator }) => locator.kind === "phrase")) return true;
  const isLabelled = origin === "label" || origin === "table" || origin === "section";
  // In small letters it is more often a sentence that a colon interrupts: `agree as follows:`.
  return weight > 0 || (isLabelled && labels.some((label) => !/^\p{Ll}/u.test(label)));
}

export function answersOfHeld({ answers }: ObservedField, { isHeld }: GateContext): Answer[] {
  return answers.filter((answer, index) => isHeld[index] === true && answer !== null) as Answer[];
}

/** To 4 digits, so that metadata reads well. */
export function rounded(figure: number): number {
  return Math.round(figure * 10_000) / 10_000;
}
