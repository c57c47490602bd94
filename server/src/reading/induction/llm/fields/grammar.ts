/**
 * The grammar that everything which a model writes is held to before it is used or shown, in a
 * question as in a later prompt: one English question about a document, and a slug. What a document
 * might have smuggled in (addresses, orders to the reader, markup) cannot be written in it.
 */

import { QUESTION_ID } from "../../schema.ts";

const LONGEST_NAME = 63;
const MOST_NAME_WORDS = 8;
const SHORTEST_QUESTION = 10;
export const LONGEST_QUESTION = 200;
const MOST_ENUM = 8;
const LONGEST_OPTION = 40;

/** Letters of any language, digits, and the punctuation of a plain sentence; ends with its only "?". */
const QUESTION = /^[A-Z][\p{L}\p{M}\p{N} ,'’()/%&$€£-]*\?$/u;
const BEGINNINGS = new Set(
  (
    "what which who whom whose when where why how is are was were does do did has have had can may must will " +
    "shall should on in by for to from under until at with of after before during within"
  ).split(" "),
);
/** Words that speak to a reader, or of the model's own task; a question about a document needs none. */
const ADDRESSING =
  /\b(?:you|your|yours|yourself|me|my|we|our|ignore|disregard|override|forget|pretend|jailbreak|prompts?|assistant|chatbot|language model|llm|gpt|previous instructions?|system message|api key|passwords?|https?|www)\b/i;
/** A host or a path: letters, a point, letters; or slashes between words without spaces. */
const ADDRESS = /\p{L}\.\p{L}|\/\/|\p{L}+\/\p{L}+\/\p{L}+|@/u;
const OPTION = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ,'’()/%&.-]*$/u;
const UNIT = /^[\p{L}°µ%$€£¥][\p{L}\p{N}²³°%/·. -]{0,15}$/u;

/** The slug, or null where it is none. */
export function grammaticalName(name: string): string | null {
  const slug = name.trim();
  const isSlug = QUESTION_ID.test(slug) && slug.length <= LONGEST_NAME;
  if (!isSlug || slug.split("_").length > MOST_NAME_WORDS) return null;
  return ADDRESSING.test(slug.replaceAll("_", " ")) ? null : slug;
}

/** The question with single spaces, or null where it breaks the grammar. */
export function grammaticalQuestion(question: string): string | null {
  const text = question.normalize("NFC").replace(/ +/g, " ").trim();
  if (text.length < SHORTEST_QUESTION || text.length > LONGEST_QUESTION) return null;
  if (!QUESTION.test(text) || ADDRESSING.test(text) || ADDRESS.test(text)) return null;
  const [first = ""] = text.toLowerCase().split(/[^\p{L}]/u, 1);
  return BEGINNINGS.has(first) ? text : null;
}

/** Null where it is not written as a unit is. */
export function grammaticalUnit(unit: string | null): string | null {
  const text = unit?.trim() ?? "";
  return UNIT.test(text) && !ADDRESS.test(text) ? text : null;
}

/** The options, each once; empty where one of them is none, or where they are too many. */
export function grammaticalEnum(options: readonly string[]): readonly string[] {
  const texts = [...new Set(options.map((option) => option.trim()))];
  const isOption = (text: string): boolean =>
    text.length <= LONGEST_OPTION &&
    OPTION.test(text) &&
    !ADDRESSING.test(text) &&
    !ADDRESS.test(text);
  return texts.length >= 2 && texts.length <= MOST_ENUM && texts.every(isOption) ? texts : [];
}
