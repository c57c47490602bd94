/**
 * What a question's answers look like, whatever they say: how a code is made of letters and digits, and
 * whether a name is one or goes on like a sentence. Where the sample's answers look alike, one that
 * looks otherwise was hardly meant.
 */

import { type Normal, type ValueKind, WORDED } from "../values/value.ts";

interface Question {
  readonly kind: ValueKind;
  readonly multiple: boolean;
}

/** Shapes and how many answers have them. */
type Shapes = Readonly<Record<string, number>>;

const MOST_SHAPES = 40;
const LONGEST_SHAPE = 24;

export function shapesOf(question: Question, answers: readonly Normal[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const answer of answers) {
    const shape = shapeOf(question, answer);
    if (shape !== null) counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return Object.fromEntries(
    [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MOST_SHAPES),
  );
}

/** `INV-2018/7` is `A-9/9`; of words, `name` or `sentence`. Null where a kind's values have no shape. */
function shapeOf({ kind, multiple }: Question, value: Normal): string | null {
  if (multiple || typeof value !== "string") return null;
  if (kind === "identifier") {
    const runs = value.replace(/\p{L}+/gu, "A").replace(/\p{N}+/gu, "9");
    return runs.replace(/\s+/g, " ").slice(0, LONGEST_SHAPE);
  }
  return WORDED.has(kind) ? (isSentence(value) ? "sentence" : "name") : null;
}

/** Names of things are written with capitals; scripts that have none tell nothing. */
const FEWEST_WORDS = 5;
const LEAST_SMALL = 0.5;

function isSentence(text: string): boolean {
  const words = text.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  const small = words.filter((word) => /^\p{Ll}/u.test(word)).length;
  return words.length >= FEWEST_WORDS && small > LEAST_SMALL * words.length;
}

/** How often a wrong value has a shape that the sample's answers do not. */
const STRANGE_WRONG = 0.6;

/**
 * The odds that a value of this shape is right are so many times the others'. How many right ones
 * look like none of the sample is guessed by how many of its shapes are seen once (Good, 1953).
 */
export function ofShape(question: Question, shapes: Shapes, value: Normal): number {
  const shape = shapeOf(question, value);
  const counts = Object.values(shapes);
  if (shape === null || counts.length === 0 || Object.hasOwn(shapes, shape)) return 1;
  const seen = counts.reduce((sum, count) => sum + count, 0);
  const once = counts.filter((count) => count === 1).length;
  return Math.min(1, (once + 0.5) / (seen + 1) / STRANGE_WRONG);
}
