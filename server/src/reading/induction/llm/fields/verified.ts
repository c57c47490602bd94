/**
 * What is left of a model's proposals once the grammar was applied and each quote was looked for in
 * the document. A field without a quote that stands there is dropped.
 */

import { VALUE_KINDS, type ValueKind } from "../../values/value.ts";
import type { Asked } from "../propose/ask-documents.ts";
import { MOST_FIELDS } from "../propose/propose-prompt.ts";
import { unmark } from "../spotlight/datamarking.ts";
import { type Place, QuoteFinder } from "../verify/quote-finder.ts";
import type { Rejected } from "./field.ts";
import {
  grammaticalEnum,
  grammaticalName,
  grammaticalQuestion,
  grammaticalUnit,
} from "./grammar.ts";

/** A value that stands in a document, or, of a clause, whether it is said to be there. */
export interface Evidence {
  readonly quote: Place;
  readonly value: Place | boolean;
}

/** A field as it was seen in one window. */
export interface SeenField {
  /** Which of the documents. */
  readonly document: number;
  readonly name: string;
  readonly question: string;
  readonly kind: ValueKind;
  readonly unit: string | null;
  readonly enum: readonly string[];
  readonly evidence: readonly Evidence[];
}

export interface Verified {
  readonly seen: readonly SeenField[];
  readonly rejected: readonly Rejected[];
}

/** Of one field in one window this many values are read. */
const MOST_EVIDENCE = 8;
/** A longer quote is a passage: it says nothing of where its value stands. */
const LONGEST_QUOTE = 600;
const LONGEST_VALUE = 400;

const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["true", true],
  ["no", false],
  ["false", false],
]);

const KINDS: ReadonlySet<string> = new Set(VALUE_KINDS);
const isKind = (kind: string): kind is ValueKind => KINDS.has(kind);

export function verified(asked: readonly Asked[], documentIds: readonly string[]): Verified {
  const seen: SeenField[] = [];
  const rejected: Rejected[] = [];
  const numbers = new Map(documentIds.map((id, number) => [id, number]));
  const finders = new Map<string, QuoteFinder>();
  for (const { document, window, mark, fields } of asked) {
    const { id, content } = document;
    let finder = finders.get(id);
    if (finder === undefined) {
      finder = new QuoteFinder(content.text);
      // Windows of one document follow each other: one finder at a time is kept.
      finders.clear();
      finders.set(id, finder);
    }
    for (const field of fields.slice(0, MOST_FIELDS)) {
      const reject = (reason: string): void => {
        rejected.push({ documentId: id, name: field.name.slice(0, 80), reason });
      };
      const name = grammaticalName(field.name);
      const question = grammaticalQuestion(field.question);
      if (name === null) reject("the name is no slug");
      else if (question === null) reject("the question breaks the grammar of questions");
      else if (!isKind(field.kind)) reject("the kind is not one of those there are");
      else {
        const evidence: Evidence[] = [];
        for (const { quote, value } of field.evidence.slice(0, MOST_EVIDENCE)) {
          const found = evidenceOf(finder, window, {
            quote: unmark(quote, mark),
            value: unmark(value, mark),
            isBoolean: field.kind === "boolean",
          });
          if (typeof found === "string") reject(found);
          else if (!evidence.some((other) => isSame(other, found))) evidence.push(found);
        }
        if (evidence.length > 0) {
          const unit = grammaticalUnit(field.unit);
          const options = grammaticalEnum(field.enum);
          const document = numbers.get(id)!;
          seen.push({ document, name, question, kind: field.kind, unit, enum: options, evidence });
        } else if (field.evidence.length === 0) reject("it quotes nothing");
      }
    }
  }
  return { seen, rejected };
}

interface Quoted {
  readonly quote: string;
  readonly value: string;
  readonly isBoolean: boolean;
}

/** Or why it is none. */
function evidenceOf(
  finder: QuoteFinder,
  window: Place,
  { quote, value, isBoolean }: Quoted,
): Evidence | string {
  if (quote.length > LONGEST_QUOTE) return "the quote is a passage";
  const place = finder.find(quote, window);
  if (place === null) return "the quote does not stand in the document";
  if (isBoolean) {
    const truth = TRUTH.get(value.toLowerCase());
    return truth === undefined ? "the value is neither yes nor no" : { quote: place, value: truth };
  }
  if (value.length > LONGEST_VALUE) return "the value is a passage";
  const within = finder.find(value, place);
  if (within === null) return "the value does not stand in its quote";
  return { quote: place, value: within };
}

function isSame(a: Evidence, b: Evidence): boolean {
  if (typeof a.value === "boolean" || typeof b.value === "boolean") return a.value === b.value;
  return a.value.start === b.value.start && a.value.end === b.value.end;
}
