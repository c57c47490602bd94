/** What induction makes of one set: the schema of all its documents, and answers beside the gold. */

import { join } from "node:path";
import {
  InductionRunner,
  type StoredDocument,
} from "../../../server/src/reading/induction/runner/induction-runner.ts";
import type { Question } from "../../../server/src/reading/induction/schema.ts";
import { skillBySlug } from "../../../server/src/reading/induction/skills/index.ts";
import { isSame } from "./comparison.ts";
import type { Judged } from "./ranking.ts";
import type { DocumentSet, GoldField } from "./sets.ts";

export interface Accuracy {
  readonly field: string;
  readonly right: number;
  readonly asked: number;
}

export interface MeasuredSet {
  readonly seconds: number;
  readonly questions: readonly Question[];
  readonly recalled: readonly string[];
  readonly missed: readonly string[];
  /** Each half of the documents, answered by the schema of the other half. */
  readonly accuracy: readonly Accuracy[];
  /** The same answers, those that are not null. */
  readonly answers: readonly Judged[];
}

const MOST_QUESTIONS = 25;
const NEVER = new AbortController().signal;

export async function measureSet(
  set: DocumentSet,
  data: string,
  documents: readonly StoredDocument[],
): Promise<MeasuredSet> {
  const skill = skillBySlug(set.skill);
  if (skill === null) throw new Error(`there is no skill ${set.skill}`);
  const request = { useCase: set.useCase, skill, maxQuestions: MOST_QUESTIONS };
  const runner = new InductionRunner();
  try {
    const started = performance.now();
    const { schema } = await runner.induce({ documents, request }, { signal: NEVER });
    const seconds = (performance.now() - started) / 1000;
    const ids = new Set(schema.questions.map(({ id }) => id));
    const isRecalled = (field: GoldField): boolean => field.ids.some((id) => ids.has(id));
    const values = set.values(join(data, set.folder, ".."));
    const judged: Judged[] = [];
    const tally = new Map<string, { right: number; asked: number }>();
    for (const half of values.size === 0 ? [] : [0, 1]) {
      const seen = documents.filter((_, index) => index % 2 === half);
      const unseen = documents.filter((_, index) => index % 2 !== half);
      const { plan } = await runner.induce({ documents: seen, request }, { signal: NEVER });
      const rows = await runner.extract(plan, unseen, { signal: NEVER });
      for (const { documentId, answers } of rows) {
        const gold = values.get(documentId) ?? {};
        for (const { name, ids: own, kind } of set.gold) {
          const wanted = gold[name];
          if (wanted === undefined || kind === undefined) continue;
          const answer = own.map((id) => answers[id]).find((each) => each !== undefined);
          const figures = tally.get(name) ?? { right: 0, asked: 0 };
          tally.set(name, figures);
          figures.asked += 1;
          if (answer == null) continue;
          const isRight = isSame(kind, answer.value, wanted);
          if (isRight) figures.right += 1;
          // That a clause is nowhere is an answer too, and ranks with the others.
          judged.push({ confidence: answer.confidence, isRight });
        }
      }
    }
    return {
      seconds,
      questions: schema.questions,
      recalled: set.gold.filter(isRecalled).map(({ name }) => name),
      missed: set.gold.filter((field) => !isRecalled(field)).map(({ name }) => name),
      answers: judged,
      accuracy: [...tally].map(([field, figures]) => ({ field, ...figures })),
    };
  } finally {
    await runner.close();
  }
}
