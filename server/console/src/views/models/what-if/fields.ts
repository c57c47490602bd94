/** The form of a what-if prediction: a field for each column that the model reads, filled with what is usual. */

import type { ModelCardDocument, RunReport } from "@distillery/engine";

/** What a row may hold. */
export type Cell = string | number | boolean | null;
export type Row = Readonly<Record<string, Cell>>;

interface FieldBase {
  readonly column: string;
  /** What is usual in the training data: the median of numbers and times, else the most frequent. */
  readonly typical: Cell;
  /** Rows of the training data by their values: of choices one a choice, else of equal widths from `min` to `max`; may be empty. */
  readonly counts: readonly number[];
}

export interface NumberField extends FieldBase {
  readonly kind: "number";
  readonly min: number;
  readonly max: number;
  readonly step: number;
}

export interface ChoiceField extends FieldBase {
  readonly kind: "choice";
  readonly choices: readonly (string | boolean)[];
  /** Whether the model tells more categories apart than are named here. */
  readonly isOpen: boolean;
}

export interface TimeField extends FieldBase {
  readonly kind: "time";
  /** ISO 8601; null where nothing is known of it. */
  readonly min: string | null;
  readonly max: string | null;
  /** Whether all times that are known of it are midnights. */
  readonly isDate: boolean;
}

export interface TextField extends FieldBase {
  readonly kind: "text";
}

export type Field = NumberField | ChoiceField | TimeField | TextField;

type Input = ModelCardDocument["inputs"][number];
type Known = RunReport["data"]["columns"][number];

const DAY_MS = 86_400_000;
/** Values of a slider; more are finer than a pixel. */
const STEPS = 200;

/** @returns the columns that the model reads, the most important first */
export function fieldsOf(
  card: Pick<ModelCardDocument, "inputs" | "importance" | "example">,
  columns: readonly Known[] = [],
): Field[] {
  const known = new Map(columns.map((column) => [column.name, column]));
  const rank = new Map(card.importance.map(({ column }, place) => [column, place]));
  const placeOf = (column: string): number => rank.get(column) ?? rank.size;
  return card.inputs
    .map((input) => fieldOf(input, known.get(input.column), card.example[input.column]))
    .sort((a, b) => placeOf(a.column) - placeOf(b.column));
}

/** The row that all fields are filled with at first. */
export function typicalRow(fields: readonly Field[]): Row {
  return Object.fromEntries(fields.map(({ column, typical }) => [column, typical]));
}

/**
 * A row whose values are drawn one by one, each as often as it is in the training data.
 *
 * @param random in [0, 1), one a call
 */
export function drawnRow(fields: readonly Field[], random: () => number): Row {
  return Object.fromEntries(fields.map((field) => [field.column, drawnCell(field, random)]));
}

function drawnCell(field: Field, random: () => number): Cell {
  const { counts } = field;
  switch (field.kind) {
    case "choice": {
      const all = counts.length > 0 ? counts : field.choices.map(() => 1);
      return field.choices[placeIn(all, random())] ?? field.typical;
    }
    case "number": {
      const { min, max, step } = field;
      const share = shareOf(counts, random);
      return Math.min(max, rounded(min + step * Math.round((share * (max - min)) / step), step));
    }
    case "time": {
      if (field.min === null || field.max === null) return field.typical;
      const [from, to] = [Date.parse(field.min), Date.parse(field.max)];
      const at = from + shareOf(counts, random) * (to - from);
      return new Date(
        field.isDate ? DAY_MS * Math.round(at / DAY_MS) : Math.round(at),
      ).toISOString();
    }
    case "text":
      return field.typical;
  }
}

/** Which bin a share of all rows lies in. */
function placeIn(counts: readonly number[], share: number): number {
  let left = share * counts.reduce((sum, count) => sum + count, 0);
  return counts.findIndex((count) => {
    left -= count;
    return left < 0;
  });
}

/** Of the way from the least value to the largest. */
function shareOf(counts: readonly number[], random: () => number): number {
  const bin = placeIn(counts, random());
  return bin < 0 ? random() : (bin + random()) / counts.length;
}

function fieldOf(input: Input, known: Known | undefined, example: unknown): Field {
  const { column } = input;
  const usual = isCell(example) ? example : null;
  const counts = known?.numbers?.histogram.counts ?? [];
  switch (input.kind) {
    case "numeric":
      return numberField(input, known, usual, counts);
    case "boolean":
      return {
        kind: "choice",
        column,
        typical: known?.top?.[0]?.value !== "false",
        choices: [true, false],
        isOpen: false,
        counts: countsOf([true, false], known),
      };
    case "categorical": {
      const seen = (known?.top ?? []).map(({ value }) => value);
      const choices = [...new Set([...input.categories, ...seen])];
      const typical = known?.top?.[0]?.value ?? input.categories[0] ?? usual;
      const isOpen = (input.category_count ?? 0) > choices.length;
      return {
        kind: "choice",
        column,
        typical,
        choices,
        isOpen,
        counts: countsOf(choices, known),
      };
    }
    case "timestamp": {
      const numbers = known?.numbers;
      const iso = (at: number): string => new Date(at).toISOString();
      const ends = numbers ? [numbers.min, numbers.max, numbers.median] : [];
      return {
        kind: "time",
        column,
        typical: numbers ? iso(numbers.median) : usual,
        min: numbers ? iso(numbers.min) : input.earliest,
        max: numbers ? iso(numbers.max) : null,
        isDate: ends.length > 0 && ends.every((at) => at % DAY_MS === 0),
        counts,
      };
    }
    default:
      return { kind: "text", column, typical: known?.top?.[0]?.value ?? usual, counts: [] };
  }
}

function countsOf(choices: readonly (string | boolean)[], known: Known | undefined): number[] {
  const counts = new Map(known?.top?.map(({ value, count }) => [value, count]));
  return counts.size === 0 ? [] : choices.map((choice) => counts.get(String(choice)) ?? 0);
}

function numberField(
  { column, range }: Input,
  known: Known | undefined,
  usual: Cell,
  counts: readonly number[],
): NumberField {
  const numbers = known?.numbers;
  const low = numbers?.min ?? range?.[0] ?? 0;
  const high = numbers?.max ?? range?.[1] ?? 1;
  const max = high > low ? high : low + 1;
  const isWhole =
    numbers !== undefined &&
    Number.isInteger(numbers.min) &&
    Number.isInteger(numbers.max) &&
    (known?.distinct ?? Number.POSITIVE_INFINITY) <= max - low + 1;
  const step = isWhole ? Math.max(1, niceStep((max - low) / STEPS)) : niceStep((max - low) / STEPS);
  const middle = numbers?.median ?? (typeof usual === "number" ? usual : (low + max) / 2);
  const typical = isWhole ? Math.round(middle) : rounded(middle, step);
  return { kind: "number", column, typical, min: low, max, step, counts };
}

/** 1, 2 or 5 times a power of ten, at most as large. */
export function niceStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const factor = [5, 2, 1].find((each) => each * power <= most * (1 + 1e-9)) ?? 1;
  return Number((factor * power).toPrecision(1));
}

/** Without digits that a step does not tell apart. */
function rounded(value: number, step: number): number {
  return Number(value.toFixed(Math.min(20, Math.max(0, -Math.floor(Math.log10(step))))));
}

/** Values between which all else is kept as it is, to see what this column alone does. */
export function sweepOf(field: Field, most = 41): readonly Cell[] {
  if (field.kind === "choice") return field.choices.slice(0, most);
  if (field.kind === "number") {
    const { min, max, step } = field;
    const places = Math.min(most - 1, Math.max(1, Math.round((max - min) / step)));
    return Array.from({ length: places + 1 }, (_, i) =>
      i === places ? max : rounded(min + (i * (max - min)) / places, step),
    );
  }
  if (field.kind === "time" && field.min !== null && field.max !== null) {
    const [from, to] = [Date.parse(field.min), Date.parse(field.max)];
    return Array.from({ length: most }, (_, i) =>
      new Date(from + (i * (to - from)) / (most - 1)).toISOString(),
    );
  }
  return [];
}

function isCell(value: unknown): value is Cell {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
