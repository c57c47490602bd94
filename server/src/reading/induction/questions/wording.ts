/** A question in plain English, of a field that nobody has worded. */

import type { Proposal } from "../inducer.ts";
import type { ValueKind } from "../values/value.ts";

const ASKING: Readonly<Record<ValueKind, (label: string, unit: string) => string>> = {
  date: (label) => `Which date is given as ${label}?`,
  money: (label, unit) => `How much is ${label}${unit}?`,
  number: (label, unit) =>
    unit === "" ? `Which number is given as ${label}?` : `What is ${label}${unit}?`,
  percent: (label) => `What is ${label}, in percent?`,
  quantity: (label, unit) => `What is ${label}${unit}?`,
  duration: (label) => `How long is ${label}?`,
  phone: (label) => `Which telephone number is given as ${label}?`,
  email: (label) => `Which e-mail address is given as ${label}?`,
  url: (label) => `Which web address is given as ${label}?`,
  identifier: (label) => `Which number or code is given as ${label}?`,
  person: (label) => `Who is named as ${label}?`,
  organization: (label) => `Which organization is named as ${label}?`,
  address: (label) => `Which address is given as ${label}?`,
  place: (label) => `Which place is given as ${label}?`,
  boolean: (label) => `Is ${label} answered with yes?`,
  text: (label) => `What is stated as ${label}?`,
};

/** Longer labels are cut; a question has at most 300 letters. */
const LONGEST_LABEL = 120;

export function wordQuestion(
  { question, labels, name, kind, origin }: Proposal,
  unit: string | null,
): string {
  if (question !== null && isQuestion(question)) return question;
  const label = `“${sentenceCase(labels[0] ?? name.replaceAll("_", " ")).slice(0, LONGEST_LABEL)}”`;
  if (origin === "section" && kind === "boolean")
    return `Does the document have a section ${label}?`;
  return ASKING[kind](label, unit === null ? "" : `, in ${unit}`);
}

/** Whether what an inducer words is a sentence that asks, and no label: `Effective date?` is none. */
function isQuestion(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return (
    words.length > 2 && /^["“‘'(]?\p{Lu}/u.test(text.trim()) && /\?["”’)]?$/u.test(text.trim())
  );
}

/** A label in capitals is easier read without; its short words may be abbreviations and stay. */
function sentenceCase(label: string): string {
  const text = label.replace(/\s+/g, " ").trim();
  if (text !== text.toUpperCase() || !/\p{Lu}{5}/u.test(text)) return text;
  const words = text.split(" ").map((word) => (/\p{L}{4}/u.test(word) ? word.toLowerCase() : word));
  const joined = words.join(" ");
  return joined.charAt(0).toUpperCase() + joined.slice(1);
}
