/**
 * Leakage: the words of a question come from the skill or from labels that several documents share;
 * a word that only one document's values hold would show that document to whoever reads the schema.
 */

import { comparingKey } from "../values/same-value.ts";
import type { Gate, GateContext } from "./gate.ts";

export function leakageGate(question: string): Gate {
  return (field, context) => {
    const gate = "leakage";
    const known = skillWords(context);
    const own = new Map<string, number>();
    for (const answer of field.answers) {
      if (answer === null || typeof answer.value === "boolean") continue;
      for (const word of new Set(wordsOf(`${answer.value} ${answer.span.text}`))) {
        own.set(word, (own.get(word) ?? 0) + 1);
      }
    }
    const texts = [question, ...field.proposal.labels, ...field.proposal.enum];
    const leaked = wordsOf(texts.join(" ")).find(
      (word) => own.get(word) === 1 && !known.has(word) && documentsWith(word, context) < 2,
    );
    if (leaked === undefined) return { gate, passed: true, score: 0, note: null };
    return {
      gate,
      passed: false,
      score: 1,
      note: "its wording contains a word of one document's value",
    };
  };
}

function wordsOf(text: string): string[] {
  return comparingKey("text", text)
    .split(" ")
    .filter((word) => word.length > 2 || /\d/.test(word));
}

function skillWords({ request: { skill, useCase } }: GateContext): Set<string> {
  const texts = [useCase, skill.title, skill.description, ...skill.vocabulary];
  for (const { question, labels, enum: answers } of skill.fields) {
    texts.push(question, ...labels, ...answers);
  }
  return new Set(wordsOf(texts.join(" ")));
}

/** Counted up to two. */
function documentsWith(word: string, { documents }: GateContext): number {
  let found = 0;
  for (const { content } of documents) {
    if (content.text.toLowerCase().includes(word)) found += 1;
    if (found === 2) break;
  }
  return found;
}
