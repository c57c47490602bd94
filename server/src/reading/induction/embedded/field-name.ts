/** Whether a label that documents share is the name of a field, as a person would ask for it. */

import { createRequire } from "node:module";
import { labelKey } from "../locators/label-key.ts";
import type { Skill } from "../skills/skill.ts";
import { unitSymbol } from "../values/units.ts";
import { contentWords, isLinkingWord } from "../words/content-words.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { isKnownWord } from "../words/word-vectors.ts";

const MOST_WORDS = 6;
const LONGEST = 60;

/** Words that name nothing by themselves: which total, which date? */
const GENERIC = new Set(
  (
    "total subtotal value values amount amounts number numbers other others sum net gross date dates " +
    "name names title cost costs gain gains loss losses page pages item items note notes yes no by " +
    "line lines type code id description per year years month months day days ended million millions " +
    "thousand thousands fair balance increase decrease change changes section part form quarter period"
  ).split(" "),
);

/** `Your order`, `Our reference`: letters name so what the other side calls it. */
const ADDRESSED = new Set("your our my".split(" "));

/** Of these, the ones that say enough where a form has them for a label: `Item: ball bearing`. */
const COMPLETE = new Set(
  "code cost costs description id item name notes period quantity title type".split(" "),
);

/** How surely a label is one, from where it was seen. */
export interface NameEvidence {
  /** It stands before a colon, in a cell of its own or over a value: it is no piece of a sentence. */
  readonly isLabelled: boolean;
  /** The use case names it. */
  readonly isNamed: boolean;
}

const UNSEEN: NameEvidence = { isLabelled: false, isNamed: false };
/** Words of a label such as `Reported by` or `Flight conducted under`. */
const MOST_LINKED_WORDS = 4;

export function isFieldName(
  label: string,
  key: string,
  skill: Skill,
  { isLabelled, isNamed }: NameEvidence = UNSEEN,
): boolean {
  const text = label.trim();
  if (text.length > LONGEST || key.split(" ").length > MOST_WORDS) return false;
  // Of what? `Nummer`, `No.`, `mg/dL`
  const isTerm = isLabelled && meaningOf(key) !== null;
  if (key === "no" || (unitSymbol(text) !== null && !isTerm)) return false;
  // `Parts Sales <sales@parts.example> wrote:`
  if (/[@<>]|https?:/u.test(text)) return false;
  if (/\d{2}/.test(text) || !isBalanced(text)) return false;
  // "1. Each item checked above must" and "in accordance with" are pieces of sentences.
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const isAddressed = isLabelled && words.length > 1 && ADDRESSED.has(words[0]!);
  // `From: Dublin`
  if (isTerm && words.length === 1) return !isAvoided(key, skill);
  if (words.length === 0 || (isLinkingWord(words[0]!) && !isNamed && !isAddressed)) return false;
  const mayLink = isNamed || (isLabelled && words.length <= MOST_LINKED_WORDS);
  if (isLinkingWord(words.at(-1)!) && !mayLink) return false;
  // "How long is position requires?" is no sentence.
  if (!isLabelled && endsInVerb(text)) return false;
  if (/^\d+\s*[.)]/.test(text) || /[.;:!?]\s+\S/u.test(text.replace(ABBREVIATION, "$1")))
    return false;
  if (isNamed) return contentWords(text).length > 0;
  const named = contentWords(text).filter((word) => !GENERIC.has(word));
  if (isAvoided(key, skill)) return false;
  if (named.length === 0) return isLabelled && words.length === 1 && COMPLETE.has(words[0]!);
  const known = new Set(contentWords(skill.vocabulary.join(" ")));
  const understood = named.filter(
    (word) =>
      isKnownWord(word) ||
      known.has(word) ||
      isPronounceable(word, isLabelled ? 3 : 4) ||
      (isLabelled && isAcronym(word, text)),
  ).length;
  return understood >= named.length / 2;
}

/** `Max. pressure`, `Cust. name`: no sentence ends there. */
const ABBREVIATION = /(?<!\p{L})(\p{L}{2,5})\.(?=\s+\p{L})/gu;

interface Tagged {
  has(pattern: string): boolean;
}

/** Of words from running text, in English: whether the last is a verb, so that they name nothing. */
function endsInVerb(text: string): boolean {
  const tag: (text: string) => Tagged = createRequire(import.meta.url)("compromise/two");
  return tag(text.toLowerCase()).has("(#PresentTense|#Modal|#Auxiliary|#Copula|#Pronoun)$");
}

/** `ELT`, `LTI`: capitals that a form takes for known. Where all is in capitals they say nothing. */
function isAcronym(word: string, text: string): boolean {
  const isWritten = text.split(/[^\p{L}\p{N}]+/u).includes(word.toUpperCase());
  const capitals = text.match(/\p{Lu}+/gu)?.length ?? 0;
  return word.length <= LONGEST_ACRONYM && isWritten && (capitals === 1 || /\p{Ll}/u.test(text));
}

const LONGEST_ACRONYM = 6;

/** Terms of a trade and words of other languages: letters in an order that can be said. */
function isPronounceable(word: string, shortest: number): boolean {
  // Which letters are vowels, and whether they are written, is each script's own.
  if (!/\p{Script=Latin}/u.test(word)) return true;
  return (
    word.length >= shortest &&
    /[aeiouyà-öø-ÿąęó]/u.test(word) &&
    !/[^aeiouyà-öø-ÿąęó]{7}/u.test(word)
  );
}

/** Whether one of its words says what it is about. */
export function isSpecific(label: string): boolean {
  return contentWords(label).some((word) => !GENERIC.has(word));
}

function isAvoided(key: string, { avoid }: Skill): boolean {
  return avoid.map(labelKey).some(
    (avoided) =>
      // The answer `No` is avoided; a number is `no` as well.
      key === avoided ||
      (avoided !== "no" && avoided !== "" && ` ${key} `.includes(` ${avoided} `)),
  );
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const letter of text) {
    if (letter === "(") open += 1;
    else if (letter === ")") open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}
