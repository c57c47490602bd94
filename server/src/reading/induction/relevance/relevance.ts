/**
 * How much a field matters: by what the skill holds of it, and by how near its words are to those of
 * the use case. A use case names a field where all words of its label are among its own.
 */

import type { InductionRequest, Proposal } from "../inducer.ts";
import { contentWords, stem } from "../words/content-words.ts";
import { wordSimilarity } from "../words/word-vectors.ts";
import { isSameWord, type NamedThing, namedThings } from "./named-things.ts";

/** A cosine below this is between words of any kind. */
const UNRELATED = 0.45;
/** From here on the use case speaks of the field. */
const ASKED = 0.8;
const SHARES = { skill: 0.5, useCase: 0.35, vocabulary: 0.15 } as const;

export interface Relevance {
  /** 0 to 1. */
  readonly score: number;
  /** 0 to 1: how near the field is to the use case. */
  readonly useCase: number;
  readonly isAsked: boolean;
  /** Whether the use case names it: nothing but the documents may keep it from being asked. */
  readonly isNamed: boolean;
}

export type Judged = Pick<Proposal, "name" | "labels" | "serves" | "weight">;

export class RelevanceJudge {
  readonly #useCase: readonly string[];
  readonly #vocabulary: ReadonlySet<string>;
  readonly #named: readonly NamedThing[];

  constructor(request: InductionRequest) {
    const { useCase, skill } = request;
    this.#named = namedThings(request);
    // Words that name the kind of document are in every use case of it, and tell no fields apart.
    const ofKind = new Set(stems([skill.slug, skill.title, ...skill.document_types].join(" ")));
    this.#useCase = [...new Set(stems(useCase))].filter((word) => !ofKind.has(word));
    this.#vocabulary = new Set(stems(skill.vocabulary.join(" ")));
  }

  judge({ name, labels, serves, weight }: Judged): Relevance {
    const own = new Set(stems([name.replaceAll("_", " "), ...labels.slice(0, 5)].join(" ")));
    const served = new Set(stems(serves.join(" ")));
    const useCase = Math.max(this.#nearness(own), 0.9 * this.#nearness(served));
    const inVocabulary = [...own].filter((word) => this.#vocabulary.has(word)).length;
    const vocabulary = own.size === 0 ? 0 : inVocabulary / own.size;
    const score = SHARES.skill * weight + SHARES.useCase * useCase + SHARES.vocabulary * vocabulary;
    const isNamed = this.names([name.replaceAll("_", " "), ...labels]);
    return { score, useCase, isAsked: isNamed || useCase >= ASKED, isNamed };
  }

  /**
   * Whether all words of one of the labels are those of one thing that the use case names, and as
   * many of them as name it: of a permit class not the permit.
   */
  names(labels: readonly string[]): boolean {
    return labels.some((label) => this.#thingsOf(label).length > 0);
  }

  /** Whether it names both labels, and by nothing that names both: two of its questions. */
  tellsApart(a: string, b: string): boolean {
    const [one, other] = [this.#thingsOf(a), this.#thingsOf(b)];
    return one.length > 0 && other.length > 0 && !one.some((thing) => other.includes(thing));
  }

  /** What it names among the words of a sentence, as it writes it; the longest; null where nothing. */
  nameWithin(text: string): string | null {
    const words = contentWords(text);
    const found = this.#named.filter((thing) => thing.words.every((word) => isAmong(word, words)));
    return found.toSorted((a, b) => b.words.length - a.words.length)[0]?.name ?? null;
  }

  #thingsOf(label: string): readonly NamedThing[] {
    const words = contentWords(label);
    if (words.length === 0) return [];
    return this.#named.filter(
      (thing) =>
        words.every((word) => isAmong(word, thing.words)) &&
        thing.parts.some((part) => part.every((word) => isAmong(word, words))),
    );
  }

  /** Of the field's words to the nearest word of the use case; a share of all of them counts too. */
  #nearness(words: ReadonlySet<string>): number {
    if (words.size === 0) return 0;
    let nearest = 0;
    let sum = 0;
    for (const word of words) {
      const best = Math.max(0, ...this.#useCase.map((other) => similarity(word, other)));
      nearest = Math.max(nearest, best);
      sum += best;
    }
    return 0.7 * nearest + 0.3 * (sum / words.size);
  }
}

function isAmong(word: string, words: readonly string[]): boolean {
  return words.some((other) => isSameWord(word, other));
}

function similarity(a: string, b: string): number {
  if (a === b) return 1;
  const cosine = wordSimilarity(a, b);
  return cosine === null ? 0 : Math.max(0, (cosine - UNRELATED) / (1 - UNRELATED)) * 0.9;
}

function stems(text: string): string[] {
  return contentWords(text).map(stem);
}
