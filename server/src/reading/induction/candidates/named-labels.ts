/** Labels that a colon marks: of the words before it those that come back in other documents. */

import type { DocumentText } from "../../parsing/document-text.ts";
import { behindList, isLabelText, LABEL_AND_COLON } from "../locators/label-form.ts";
import { labelKey, labelWords, withoutNumbering } from "../locators/label-key.ts";
import { meaningOf } from "../words/label-concepts.ts";
import { LONGEST_SPAN, MOST_LINES } from "./line-pieces.ts";

/** Words before a colon that may be the label. */
const MOST_WORDS = 6;

/** Of the documents: those that write a label with a colon, and how many at least. */
const LEAST_NAMED = 0.2;
const FEWEST = 2;
/** Of the documents: those in which it stands behind another label, as an answer with a colon of its own would. */
const LEAST_ANSWERING = 0.6;
/** A word before a label belongs to it where it stands before so many of its occurrences. */
const BELONGS = 0.7;

/** Keys that stand before colons, with the documents that write them so. */
export function namedLabels(documents: readonly DocumentText[]): Map<string, number> {
  const wholes = new Counter();
  const endings = new Counter();
  /** What stands behind an open label: an answer with a colon of its own, or the next label. */
  const answers = new Counter();
  const chains: Word[][] = [];
  for (const [document, { lines }] of documents.entries()) {
    for (const { spans } of lines.slice(0, MOST_LINES)) {
      for (const [index, span] of spans.entries()) {
        const isAnswer = /[:：]\s*$/u.test(spans[index - 1]?.text ?? "");
        const colons = [...span.text.slice(0, LONGEST_SPAN).matchAll(LABEL_AND_COLON)];
        for (const { 1: whole, index: at } of colons) {
          const written = at === 0 ? whole : behindList(whole!);
          const words = lastWords(written!);
          // Two labels side by side are none of the other's answer: `Buyer:   Supplier:`, `Ship to:   Your order: 17`
          const isOpen = /[:：]\s*$/u.test(span.text) || meaningOf(labelKey(written!)) !== null;
          if (at === 0 && isAnswer && !isOpen) {
            answers.add(labelKey(written!), document);
            continue;
          }
          const isWhole = at === 0 && isLabelText(written!);
          if (isWhole) wholes.add(labelKey(written!), document);
          chains.push(words);
          for (let from = 0; from < words.length; from++) {
            endings.add(keyOf(words.slice(from)), document);
          }
        }
      }
    }
  }
  const fewest = Math.max(Math.min(FEWEST, documents.length), LEAST_NAMED * documents.length);
  const labels = new Map<string, number>();
  for (const words of chains) {
    const key = labelOf(words, wholes, endings);
    const seen = Math.max(wholes.of(key), endings.of(key));
    // `Conducted under: Part 91: General`
    if (/\p{N}/u.test(key) && wholes.of(key) < FEWEST) continue;
    if (seen >= fewest && isLabelText(key)) labels.set(key, seen);
  }
  for (const [key, seen] of answers.entries()) {
    if (seen >= Math.max(FEWEST, LEAST_ANSWERING * documents.length) && isLabelText(key)) {
      labels.set(key, seen);
    }
  }
  return labels;
}

interface Word {
  readonly key: string;
  readonly isCapital: boolean;
}

/** Words of a text that may end a label, as they are compared. */
function lastWords(written: string): Word[] {
  return labelWords(withoutNumbering(written))
    .map(({ key, start }) => ({ key, isCapital: /\p{Lu}/u.test(written[start] ?? "") }))
    .slice(-MOST_WORDS);
}

function keyOf(words: readonly Word[]): string {
  return labelKey(words.map(({ key }) => key).join(" "));
}

/** Of the words before a colon, those that come back before it. */
function labelOf(words: readonly Word[], wholes: Counter, endings: Counter): string {
  const whole = keyOf(words);
  if (wholes.of(whole) >= FEWEST) return whole;
  let from = words.length - 1;
  for (; from > 0; from--) {
    const key = keyOf(words.slice(from));
    const wider = keyOf(words.slice(from - 1));
    const isKnownAlone = wholes.of(key) >= FEWEST && wholes.of(wider) < FEWEST;
    // `12 knots Visibility:` a capital begins the label, though the unit comes back before it.
    const begins = words[from]!.isCapital && !words[from - 1]!.isCapital;
    if (isKnownAlone || begins || endings.of(wider) < BELONGS * endings.of(key)) break;
  }
  return keyOf(words.slice(from));
}

/** In how many documents a key was seen. */
class Counter {
  readonly #documents = new Map<string, Set<number>>();

  add(key: string, document: number): void {
    const known = this.#documents.get(key);
    if (known === undefined) this.#documents.set(key, new Set([document]));
    else known.add(document);
  }

  entries(): [string, number][] {
    return [...this.#documents].map(([key, { size }]) => [key, size]);
  }

  of(key: string): number {
    return this.#documents.get(key)?.size ?? 0;
  }
}
