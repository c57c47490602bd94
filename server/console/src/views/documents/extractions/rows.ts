/** Extracted rows, what people have corrected in them, and both as a table. */

import type { Highlight } from "../viewer/highlight.ts";

export interface Answer {
  readonly value: string | number | boolean | null;
  readonly unit: string | null;
  /** 0 to 1. */
  readonly confidence: number | null;
  readonly page: number | null;
  readonly span: {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    readonly box: readonly [number, number, number, number] | null;
  } | null;
  /** Somebody said so, before the extraction began. */
  readonly is_label?: boolean;
}

export interface Row {
  readonly document_id: string;
  readonly name: string;
  readonly columns?: Readonly<Record<string, string | number | boolean | null>>;
  /** By the ids of the questions. */
  readonly answers: Readonly<Record<string, Answer>>;
  readonly error_message?: string;
}

/** What a person says the answer is, by row and question; empty: the document does not say. */
export type Corrections = Readonly<Record<string, string>>;

/** A document may stand in several rows. */
export const cellKey = (row: number, question: string): string => `${row} ${question}`;

export const written = (answer: Answer | undefined): string =>
  answer === undefined || answer.value === null ? "" : String(answer.value);

export const shownIn = (
  rows: readonly Row[],
  corrections: Corrections,
  row: number,
  question: string,
): string => corrections[cellKey(row, question)] ?? written(rows[row]?.answers[question]);

/** What is typed back to what was read is no correction. */
export function corrected(
  rows: readonly Row[],
  corrections: Corrections,
  row: number,
  question: string,
  text: string,
): Corrections {
  const key = cellKey(row, question);
  if (text !== written(rows[row]?.answers[question])) return { ...corrections, [key]: text };
  const { [key]: _, ...others } = corrections;
  return others;
}

/** What somebody said of a document, as the service keeps it. */
interface Said {
  readonly document_id: string;
  readonly question_id: string;
  readonly value: Answer["value"];
  /** Null where it is that of what was read. */
  readonly unit: string | null;
}

/** Labels as the table shows them: a document may stand in several rows. */
export function labelled(rows: readonly Row[], labels: readonly Said[]): Corrections {
  const byDocument = Map.groupBy(labels, ({ document_id }) => document_id);
  return Object.fromEntries(
    rows.flatMap((row, at) =>
      (byDocument.get(row.document_id) ?? []).flatMap(({ question_id, value, unit }) => {
        const answer = row.answers[question_id];
        const isOtherUnit = unit !== null && unit !== answer?.unit;
        const text = value === null ? "" : isOtherUnit ? `${value} ${unit}` : String(value);
        const isNew = answer !== undefined && text !== written(answer);
        return isNew ? [[cellKey(at, question_id), text]] : [];
      }),
    ),
  );
}

export function highlightOf(answer: Answer | undefined): Highlight | null {
  if (!answer?.span) return null;
  const { start, end, box } = answer.span;
  return { page: answer.page ?? 1, start, end, box };
}

/** Questions in the order of the schema: that of the first row that has them. */
export const questionsOf = (rows: readonly Row[]): readonly string[] =>
  Object.keys(rows[0]?.answers ?? {});

/** CSV (RFC 4180) of the rows as corrected: the document, the columns that were given, then the answers. */
export function csvOf(rows: readonly Row[], corrections: Corrections): string {
  const questions = questionsOf(rows);
  const given = [...new Set(rows.flatMap(({ columns }) => Object.keys(columns ?? {})))];
  const taken = new Set([...questions, ...given]);
  const free = (name: string): string => (taken.has(name) ? free(`${name}_`) : name);
  const lines = [
    [free("document_id"), free("document_name"), ...given, ...questions],
    ...rows.map(({ document_id, name, columns }, at) => [
      document_id,
      name,
      ...given.map((column) => String(columns?.[column] ?? "")),
      ...questions.map((question) => shownIn(rows, corrections, at, question)),
    ]),
  ];
  return csvLines(lines);
}

/** CSV (RFC 4180) of lines of fields. */
export const csvLines = (lines: readonly (readonly string[])[]): string =>
  `${lines.map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;

const quoted = (text: string): string =>
  /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
