/**
 * What a use case names: its phrases between marks and the words that only hold others together, less
 * what every use case says (`predict`, `assess`) and the words of the kind of document. In English and
 * the languages that documents are read in.
 */

import type { InductionRequest } from "../inducer.ts";
import { contentWords, isLinkingWord, stem } from "../words/content-words.ts";

export interface NamedThing {
  /** As the use case writes it. */
  readonly name: string;
  /** Content words, lowercase. */
  readonly words: readonly string[];
  /** The same by the phrases that `of` joins: of `type of the incident`, two. */
  readonly parts: readonly (readonly string[])[];
}

/** What is to be done with the answers: no answer is called so. */
const TASKS = new Set(
  (
    "predict forecast estimate compare assess classify detect identify determine analyse analyze understand " +
    "explain check book review evaluate monitor track learn know extract collect summarise summarize decide help " +
    "flag rank score group based using use given whether including etc please question questions answer answers " +
    "vorhersagen vorhersage schätzen prüfen bestimmen ermitteln vergleichen prévoir estimer comparer évaluer " +
    "déterminer prédire predecir estimar comparar evaluar prever stimare confrontare valutare prevedere avaliar " +
    "comparar voorspellen schatten vergelijken beoordelen bepalen"
  ).split(" "),
);

/** Words of other languages that hold phrases together, as English ones do. */
const LINKS = new Set(
  (
    "der die das den dem des ein eine einer eines und oder nach von vom zu zum zur mit für aus bei über im in am an auf " +
    "ob wie wer was welche welcher le la les l un une des du de d et ou à au aux par pour dans sur avec selon qui que " +
    "quel quelle el los las una unos y o en por para con según quién qué cuál il lo gli i uno e ed di del della dei da " +
    "nel per con su secondo chi che quale os as um uma do da dos das em no na por com conforme quem het een en of van " +
    "voor met op bij uit naar volgens wie wat welke"
  ).split(" "),
);

/** What makes two phrases one: `type of the incident`. */
const JOINTS = new Set("of de du des di del della do da van von".split(" "));

const PHRASE = /[^\s,;:.!?()[\]"“”„«»/]+/gu;
const BREAK = /[,;:!?()[\]"“”„«»/]|\.(?=\s|$)/u;
const MOST_THINGS = 60;

/** In the use case's order, each once. */
export function namedThings({ useCase, skill }: InductionRequest): NamedThing[] {
  const kinds = contentWords([skill.slug, skill.title, ...skill.document_types].join(" ")).map(
    stem,
  );
  const things = new Map<string, NamedThing>();
  let words: string[] = [];
  let parts: string[][] = [[]];
  let isJoined = false;
  let end = 0;
  const close = (): void => {
    const own = contentWords(words.join(" "));
    const isOfKind = own.every((word) => kinds.includes(stem(word)));
    const key = own.map(stem).join(" ");
    if (own.length > 0 && !isOfKind && !things.has(key) && things.size < MOST_THINGS) {
      const content = parts.map((part) => contentWords(part.join(" ")));
      const named = content.filter((part) => part.length > 0);
      things.set(key, { name: words.join(" "), words: own, parts: named });
    }
    words = [];
    parts = [[]];
    isJoined = false;
  };
  for (const { 0: written, index } of useCase.matchAll(PHRASE)) {
    const word = written.toLowerCase().replace(/['’]s$/u, "");
    if (BREAK.test(useCase.slice(end, index))) close();
    end = index + written.length;
    if (JOINTS.has(word) && words.length > 0) isJoined = true;
    else if (TASKS.has(word) || isLinkingWord(word) || LINKS.has(word)) {
      if (!isJoined) close();
    } else {
      words.push(written);
      if (isJoined) parts.push([]);
      parts.at(-1)!.push(written);
      isJoined = false;
    }
  }
  close();
  return [...things.values()];
}

/** Letters by which one word may be longer than another in another number or case. */
const MOST_ENDING = 2;
const SHORTEST_INFLECTED = 5;

export function isSameWord(a: string, b: string): boolean {
  if (a === b || stem(a) === stem(b)) return true;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return (
    short.length >= SHORTEST_INFLECTED &&
    long.length - short.length <= MOST_ENDING &&
    long.startsWith(short)
  );
}
