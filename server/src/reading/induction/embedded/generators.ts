/** What looks for candidates in the documents, in the order in which ties are settled. */

import { keyValueCandidates } from "../candidates/key-value.ts";
import type { CandidateGenerator } from "../candidates/mention.ts";
import { phraseCandidates } from "../candidates/phrase.ts";
import { sectionCandidates } from "../candidates/section.ts";
import { tableCandidates } from "../candidates/table.ts";
import { templateCandidates } from "../candidates/template.ts";

export const GENERATORS: readonly CandidateGenerator[] = [
  keyValueCandidates,
  sectionCandidates,
  tableCandidates,
  phraseCandidates,
  templateCandidates,
];
