/**
 * Whether a question says something that only one document of the sample says: a name, a number, a
 * value. Such a question is about that document, or was written by it.
 */

/** Smaller samples cannot tell what is one document's own. */
const FEWEST_DOCUMENTS = 3;
/** Shorter values are words that any text may hold. */
const SHORTEST_VALUE = 3;

/** Words with a capital, but the first, and words with a digit. */
const PROPER = /(?<=[^\p{L}\p{N}])(?:\p{Lu}[\p{L}\p{M}\p{N}'’&-]+|[\p{L}-]*\p{N}[\p{L}\p{N}%-]*)/gu;

/** The texts of a sample, to be asked how many of them hold something. */
export class SampleTexts {
  readonly #texts: readonly string[];
  readonly #known = new Map<string, number>();

  constructor(texts: readonly string[]) {
    this.#texts = texts.map(plain);
  }

  get size(): number {
    return this.#texts.length;
  }

  /** How many texts hold the words. */
  holding(words: string): number {
    const sought = plain(words);
    let count = this.#known.get(sought);
    if (count === undefined) {
      count = this.#texts.filter((text) => text.includes(sought)).length;
      this.#known.set(sought, count);
    }
    return count;
  }
}

/** @param values what single documents answer to the question, as written */
export function copiesDocument(
  question: string,
  values: readonly string[],
  texts: SampleTexts,
): boolean {
  if (texts.size < FEWEST_DOCUMENTS) return false;
  const asked = plain(question);
  const copied = values.filter((value) => {
    const said = plain(value);
    return said.length >= SHORTEST_VALUE + 2 && asked.includes(said);
  });
  const proper = question.match(PROPER) ?? [];
  return [...copied, ...proper].some((words) => texts.holding(words) === 1);
}

/** Lowercase words with a space before and behind each, so that words are found whole. */
function plain(text: string): string {
  return ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}%]+/gu, " ")
    .trim()} `;
}
