/**
 * What a use case names and no question of the schema asks for, each with the reason: a gate that it
 * did not pass, a label that names no field, or that no document says it. Shown in the metadata.
 */

import type { ObservedField } from "./gates/gate.ts";
import type { Declined, InductionRequest } from "./inducer.ts";
import type { AskedField } from "./questions/write.ts";
import { isSameWord, namedThings } from "./relevance/named-things.ts";
import type { Rejected } from "./select.ts";
import { contentWords } from "./words/content-words.ts";
import { wordSimilarity } from "./words/word-vectors.ts";

export interface NotAsked {
  /** As the use case writes it. */
  readonly name: string;
  readonly reason: string;
}

/** Of a thing's words, those that what is asked has too. */
const LEAST_SHARED = 0.5;
/** Words of nearer meaning than this are one here. */
const LEAST_RELATED = 0.75;

const NOWHERE = "no label in the sample has this name, and no field of the skill was found for it";

export function notAsked(
  request: InductionRequest,
  asked: readonly AskedField[],
  rejected: readonly Rejected<ObservedField>[],
  declined: readonly Declined[],
): NotAsked[] {
  const questions = asked.map(({ question, field }) =>
    contentWords(
      [question.id.replaceAll("_", " "), question.question, ...field.proposal.labels].join(" "),
    ),
  );
  const served = asked.map(({ field }) => contentWords(field.proposal.serves.join(" ")));
  const others = [
    ...rejected.map(({ field: { proposal }, reason }) => ({
      words: contentWords([proposal.name.replaceAll("_", " "), ...proposal.labels].join(" ")),
      reason,
    })),
    ...declined.map(({ labels, reason }) => ({ words: contentWords(labels.join(" ")), reason })),
  ];
  return namedThings(request).flatMap(({ name, words }): NotAsked[] => {
    if (questions.some((own) => share(words, own, isRelated) >= LEAST_SHARED)) return [];
    if (served.some((own) => share(words, own, isSameWord) === 1)) return [];
    const seen = others
      .map(({ words: own, reason }) => ({ reason, share: share(words, own, isSameWord) }))
      .filter(({ share: own }) => own >= LEAST_SHARED)
      .sort((a, b) => b.share - a.share)[0];
    return [{ name, reason: seen?.reason ?? NOWHERE }];
  });
}

function share(
  words: readonly string[],
  own: readonly string[],
  isOne: (a: string, b: string) => boolean,
): number {
  return words.filter((word) => own.some((other) => isOne(word, other))).length / words.length;
}

function isRelated(a: string, b: string): boolean {
  return isSameWord(a, b) || (wordSimilarity(a, b) ?? 0) >= LEAST_RELATED;
}
