/**
 * What proposes fields, and what becomes of a proposal. The pipeline around it (`induce.ts`) splits
 * the sample, gates what is proposed on documents that the inducer has not seen, words the
 * questions and freezes the schema; it is the same for every inducer.
 */

import type { DocumentText } from "../parsing/document-text.ts";
import type { WeighedLocator } from "./locators/locator.ts";
import type { Skill } from "./skills/skill.ts";
import type { Conventions, Normal, ValueKind } from "./values/value.ts";

export interface SampleDocument {
  readonly id: string;
  readonly name: string;
  /** SHA-256 of the document's bytes: what order and split go by. */
  readonly hash: string;
  readonly content: DocumentText;
}

export interface InductionRequest {
  readonly useCase: string;
  readonly skill: Skill;
  readonly maxQuestions: number;
}

/** Where a value was found. Offsets are of the document's text, which holds `text` there, verbatim. */
export interface Finding {
  readonly normal: Normal;
  readonly unit: string | null;
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly page: number;
  /** 0 to 1. */
  readonly confidence: number;
}

/** A value that an inducer saw in one document of those it may look at. */
export interface Sighting {
  readonly documentId: string;
  readonly finding: Finding;
}

/** A field that an inducer proposes. */
export interface Proposal {
  /** Which generator made it: `skill`, `label`, `section`, `table`, `phrase`, `template`, `llm`. */
  readonly origin: string;
  /** A slug that the id is made of. */
  readonly name: string;
  /** What the documents call it, as written, most frequent first; empty where they do not. */
  readonly labels: readonly string[];
  readonly kind: ValueKind;
  readonly unit: string | null;
  readonly enum: readonly string[];
  readonly multiple: boolean;
  /** Null: to be worded from name, kind and unit. */
  readonly question: string | null;
  /** Words of use cases that it serves, of a skill's field. */
  readonly serves: readonly string[];
  /** 0 to 1, of a skill's field; 0 elsewhere. */
  readonly weight: number;
  readonly locators: readonly WeighedLocator[];
  /** The share of comparisons in which its locators agreed; null or absent where there are none. */
  readonly agreement?: number | null;
  readonly sightings: readonly Sighting[];
}

/** What the documents call something that is not proposed, and why: a clause for a person. */
export interface Declined {
  readonly labels: readonly string[];
  readonly reason: string;
}

export interface Proposals {
  /** Who made them, where it is not the inducer that was asked. */
  readonly inducer?: string;
  readonly proposals: readonly Proposal[];
  /** Labels that were seen and are not proposed. */
  readonly declined?: readonly Declined[];
  readonly conventions: Conventions;
  /** Why an inducer was replaced by another, and the like: shown in the schema's metadata. */
  readonly notes: readonly string[];
  /** For `reasoning/`: file name to content. Never shown. */
  readonly reasoning: Readonly<Record<string, string>>;
}

/** An inducer cannot propose now; another may. The message is shown in the schema's metadata. */
export class InducerUnavailable extends Error {
  override readonly name = "InducerUnavailable";
}

export interface Inducer {
  readonly name: string;
  /** Documents of a sample from which on some are kept from it, to judge by; absent, 4. */
  readonly fewestToHoldOut?: number;
  /** @param documents those that may be looked at, ordered by hash */
  propose(
    documents: readonly SampleDocument[],
    request: InductionRequest,
    signal: AbortSignal,
  ): Promise<Proposals>;
}

/** Progress of an induction, for the job. */
export interface InductionProgress {
  readonly phase: "reading" | "proposing" | "gating" | "wording";
  readonly done: number;
  readonly total: number;
}
