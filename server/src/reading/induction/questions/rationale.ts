/** Why a question is asked, in figures of the sample. No document's own values are quoted. */

import type { ObservedField } from "../gates/gate.ts";
import { counts } from "../gates/mutual-information.ts";

export interface Evidence {
  readonly documents: number;
  readonly stated: number;
  readonly heldDocuments: number;
  readonly heldStated: number;
  readonly isSplit: boolean;
  /** How often its locators agreed where the documents were looked at, or null for a single one. */
  readonly agreement: number | null;
  readonly isPresence: boolean;
}

export function rationale(field: ObservedField, evidence: Evidence): string {
  const sentences = [field.isAsked ? "The use case speaks of it." : null];
  const { documents, stated, heldDocuments, heldStated } = evidence;
  const answers = field.answers.flatMap((answer) => (answer === null ? [] : [answer.value]));
  if (evidence.isPresence) {
    const yes = answers.filter((value) => value === true).length;
    sentences.push(`${yes} of ${documents} documents have it.`);
  } else {
    const held = evidence.isSplit
      ? `, among them ${heldStated} of the ${heldDocuments} that were held back`
      : "";
    sentences.push(`Stated by ${stated} of ${documents} documents${held}.`);
    const distinct = counts(answers.map(String)).size;
    sentences.push(`${distinct} different ${distinct === 1 ? "answer" : "answers"}.`);
  }
  const labels = field.proposal.labels.slice(0, 3);
  if (labels.length > 0) {
    sentences.push(`Documents call it ${labels.map((label) => `“${label}”`).join(", ")}.`);
  }
  if (evidence.agreement !== null) {
    sentences.push(`The ways to find it agree in ${Math.round(evidence.agreement * 100)} %.`);
  }
  return sentences.filter((sentence) => sentence !== null).join(" ");
}
