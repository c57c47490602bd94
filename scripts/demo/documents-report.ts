/** Questions, answers and an explanation, for the terminal. */

import type { Api } from "./api.ts";
import type { Receipt, Row, Schema } from "./documents.ts";
import { table } from "./text.ts";

/** Characters of an answer or of the line that it was read from. */
const WIDTH = 40;
const SHOWN_CONTRIBUTIONS = 6;

export function showQuestions({ questions }: Schema): void {
  console.log(`\nThe ${questions.length} questions`);
  for (const { id, question, unit, rationale } of questions) {
    console.log(`\n  ${question}${unit === "" ? "" : ` [${unit}]`}  (${id})\n    ${rationale}`);
  }
}

export function showAnswers(
  { questions }: Schema,
  rows: readonly Row[],
  receipts: readonly Receipt[],
): void {
  for (const { name, answers } of rows) {
    const text = receipts.find((receipt) => receipt.name === name)?.text ?? "";
    const lines = questions.flatMap(({ id }) => {
      const { value = null, confidence = null, span = null } = answers[id] ?? {};
      if (value === null) return [];
      const line = span === null || span.text === "" ? "" : lineOf(text, span);
      return [[`  ${id}`, cut(String(value)), confidence?.toFixed(2) ?? "", line]];
    });
    console.log(`\n${name}`);
    console.log(table([["  question", "answer", "sure", "where it stands"], ...lines], [2]));
  }
}

/** The line that holds the words, nearest to where they were read. */
function lineOf(text: string, span: { readonly text: string; readonly start: number }): string {
  const [first = ""] = span.text.split("\n");
  let line = first;
  let nearest = Number.POSITIVE_INFINITY;
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at + 1)) {
    const distance = Math.abs(at - span.start);
    if (distance >= nearest) break;
    nearest = distance;
    line = text.slice(text.lastIndexOf("\n", at) + 1).split("\n", 1)[0] ?? first;
  }
  return `“${cut(line.trim())}”`;
}

interface Predicted {
  readonly predictions: readonly {
    readonly label: string;
    readonly probabilities: Readonly<Record<string, number>>;
  }[];
}

interface Explained {
  /** What contributions add up to: the probability, or the margin of a single member. */
  readonly space: string;
  readonly explanations: readonly {
    readonly classes: Readonly<
      Record<
        string,
        {
          readonly base_value: number;
          readonly prediction: number;
          readonly contributions: Readonly<Record<string, number>>;
        }
      >
    >;
  }[];
}

type Instance = Readonly<Record<string, string | number | boolean | null>>;

const instanceOf = ({ answers }: Row): Instance =>
  Object.fromEntries(Object.entries(answers).map(([id, { value }]) => [id, value]));

/**
 * What is said of receipts that were not learned from, beside what they are.
 *
 * @returns the index of the one whose label is surest
 */
export async function showPredictions(
  api: Api,
  modelId: string,
  rows: readonly Row[],
  receipts: readonly Receipt[],
): Promise<number> {
  const { predictions } = await api.post<Predicted>(`/v1/models/${modelId}/predict`, {
    instances: rows.map(instanceOf),
  });
  const shares = predictions.map(({ label, probabilities }) => probabilities[label] ?? 0);
  const lines = receipts.map(({ name, expense }, at) => {
    const { label = "" } = predictions[at] ?? {};
    const company = rows[at]?.answers["company"]?.value ?? "";
    const said = `${label} (${percent(shares[at] ?? 0)})`;
    return [
      `  ${name}`,
      cut(String(company)),
      said,
      label === expense ? "" : `filed as ${expense}`,
    ];
  });
  const right = lines.filter(([, , , other]) => other === "").length;
  console.log(
    `\nOf ${lines.length} receipts that the model has not seen, it files ${right} as people did.\n`,
  );
  console.log(table(lines, []));
  return shares.indexOf(Math.max(...shares));
}

export async function showExplanation(
  api: Api,
  modelId: string,
  { questions }: Schema,
  row: Row | undefined,
  receipt: Receipt | undefined,
): Promise<void> {
  if (row === undefined || receipt === undefined) return;
  const instance = instanceOf(row);
  const rows = { instances: [instance] };
  const { predictions } = await api.post<Predicted>(`/v1/models/${modelId}/predict`, rows);
  const { space, explanations } = await api.post<Explained>(`/v1/models/${modelId}/explain`, rows);
  const [{ label, probabilities }] = predictions;
  const explained = explanations[0]?.classes[label];
  if (explained === undefined) throw new Error(`${label} is not explained.`);
  const isShare = space === "probability";
  console.log(`\n${receipt.name}, the surest of these, is filed as ${receipt.expense}.`);
  console.log(
    `It is taken for ${label} with ${percent(probabilities[label] ?? 0)}${isShare ? `, where ${percent(explained.base_value)} are on average,` : ""} because of${isShare ? "" : " (in log-odds)"}`,
  );
  const lines = Object.entries(explained.contributions)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .slice(0, SHOWN_CONTRIBUTIONS)
    .map(([id, share]) => [
      `  ${questions.find((question) => question.id === id)?.question ?? id}`,
      cut(String(instance[id] ?? "not stated")),
      `${share >= 0 ? "+" : "−"}${isShare ? `${(100 * Math.abs(share)).toFixed(1)} points` : Math.abs(share).toFixed(2)}`,
    ]);
  console.log(table(lines, [2]));
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`;
}
