/**
 * What a candidate generator saw in one document: a value, what the document calls it there, and
 * how to find it again. Mentions of many documents are aligned into fields (`alignment/`).
 *
 * A generator is `(documents: readonly SampleDocument[], conventions: Conventions) => Mention[]`:
 * pure, in the documents' order, at most some hundreds for a document.
 */

import type { SampleDocument, Sighting } from "../inducer.ts";
import type { Locator } from "../locators/locator.ts";
import { conventionsOf } from "../values/conventions.ts";
import type { Conventions, ValueKind } from "../values/value.ts";

export type MentionOrigin = "label" | "section" | "table" | "phrase" | "template";

export interface Mention extends Sighting {
  readonly origin: MentionOrigin;
  /** As written, without its colon; of a phrase, the words that name the value. */
  readonly label: string;
  /** `labelKey(label)`. */
  readonly key: string;
  readonly kind: ValueKind;
  /** Finds the value again in this document, and in others written like it. */
  readonly locator: Locator;
  /** Keys of the labels before and after it, null at the document's ends. */
  readonly neighbours: readonly [before: string | null, after: string | null];
}

export type CandidateGenerator = (
  documents: readonly SampleDocument[],
  conventions: Conventions,
) => readonly Mention[];

/** Of each document by itself, read by its own conventions. */
export const ofEachDocument =
  (
    mentionsOf: (document: SampleDocument, conventions: Conventions) => readonly Mention[],
  ): CandidateGenerator =>
  (documents, conventions) =>
    documents.flatMap((document) =>
      mentionsOf(document, conventionsOf(document.content, conventions)),
    );

/** Fills in which labels stand before and after each mention of one document, in their order. */
export function withNeighbours(mentions: readonly Mention[]): Mention[] {
  return mentions.map((mention, index) => ({
    ...mention,
    neighbours: [mentions[index - 1]?.key ?? null, mentions[index + 1]?.key ?? null],
  }));
}
