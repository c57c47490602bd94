/** A question in plain English, of a field that nobody has worded. */

import type { Proposal } from "../inducer.ts";
import type { ValueKind } from "../values/value.ts";

const ASKING: Readonly<Record<ValueKind, (label: string, unit: string) => string>> = {
  date: (label) => `Which date does the document state for ${label}?`,
  money: (label, unit) => `What amount${unit} does the document state for ${label}?`,
  number: (label) => `What number does the document state for ${label}?`,
  percent: (label) => `What percentage does the document state for ${label}?`,
  quantity: (label, unit) => `What quantity${unit} does the document state for ${label}?`,
  duration: (label) => `What period of time does the document state for ${label}?`,
  phone: (label) => `Which telephone number does the document state for ${label}?`,
  email: (label) => `Which e-mail address does the document state for ${label}?`,
  url: (label) => `Which web address does the document state for ${label}?`,
  identifier: (label) => `What number or code does the document state for ${label}?`,
  person: (label) => `Which person does the document name for ${label}?`,
  organization: (label) => `Which organization does the document name for ${label}?`,
  address: (label) => `What address does the document state for ${label}?`,
  place: (label) => `Which place does the document state for ${label}?`,
  boolean: (label) => `Does the document answer ${label} with yes?`,
  text: (label) => `What does the document state under ${label}?`,
};

/** Longer labels are cut; a question has at most 300 letters. */
const LONGEST_LABEL = 120;

export function wordQuestion(
  { question, labels, name, kind }: Proposal,
  unit: string | null,
): string {
  if (question !== null) return question;
  const label = `“${sentenceCase(labels[0] ?? name.replaceAll("_", " ")).slice(0, LONGEST_LABEL)}”`;
  return ASKING[kind](label, unit === null ? "" : ` in ${unit}`);
}

/** A label in capitals is easier read without; its short words may be abbreviations and stay. */
function sentenceCase(label: string): string {
  const text = label.replace(/\s+/g, " ").trim();
  if (text !== text.toUpperCase() || !/\p{Lu}{5}/u.test(text)) return text;
  const words = text.split(" ").map((word) => (/\p{L}{4}/u.test(word) ? word.toLowerCase() : word));
  const joined = words.join(" ");
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}
