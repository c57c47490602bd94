/** The answers of one file, which may hold several documents: then those of the first. */

import type { DocumentText } from "../parsing/document-text.ts";
import { type Answers, extract } from "./extract.ts";
import { firstDocument } from "./extraction/several-documents.ts";
import type { ExtractionPlan } from "./schema.ts";
import { conventionsOf } from "./values/conventions.ts";

export interface FileAnswers {
  readonly answers: Answers;
  readonly warnings: readonly string[];
}

export function extractFile(plan: ExtractionPlan, file: DocumentText): FileAnswers {
  const conventions = conventionsOf(file, plan.conventions);
  const { content, warnings } = firstDocument(plan, file, conventions, (part) =>
    extract(plan, part),
  );
  return { answers: extract(plan, content), warnings };
}
