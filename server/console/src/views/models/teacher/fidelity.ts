/** What a student's card says of it and its teacher, as it comes: records of anything. */

type Values = Readonly<Record<string, unknown>>;

/** A row of which both say different things. */
export interface Apart {
  readonly row: number;
  readonly truth: string;
  readonly student: string;
  readonly teacher: string;
}

export interface Fidelity {
  readonly teacher: string;
  readonly about: string;
  readonly rows: number;
  readonly augmentedRows: number;
  readonly correlation: number | null;
  readonly agreement: number | null;
  readonly difference: number | null;
  readonly divergence: number | null;
  readonly lift: { readonly share: number; readonly low: number; readonly high: number } | null;
  readonly scores: Readonly<Record<"student" | "teacher" | "baseline", number | null>>;
  readonly teacherBytes: number | null;
  /** The furthest first; empty in models of before they were kept. */
  readonly apart: readonly Apart[];
}

/** What a value of the label, or what was said of it, looks like. */
export type Written = (values: readonly number[]) => string;

/**
 * @param classes of the task; none where it predicts values
 * @param written of numbers
 * @returns null of a model that is no student
 */
export function fidelityOf(
  card: Values | null,
  classes: readonly string[],
  written: (value: number) => string,
): Fidelity | null {
  const fidelity = record(card?.["fidelity"]);
  if (fidelity === null) return null;
  const lift = record(fidelity["lift"]);
  const scores = record(fidelity["scores"]);
  const said = saidBy(classes, written);
  return {
    teacher: String(fidelity["teacher"] ?? ""),
    about: String(fidelity["about"] ?? ""),
    rows: number(fidelity["rows"]) ?? 0,
    augmentedRows: number(fidelity["augmentedRows"]) ?? 0,
    correlation: number(fidelity["correlation"]),
    agreement: number(fidelity["agreement"]),
    difference: number(fidelity["difference"]),
    divergence: number(fidelity["divergence"]),
    lift: lift && {
      share: number(lift["share"]) ?? 0,
      low: number(lift["low"]) ?? 0,
      high: number(lift["high"]) ?? 0,
    },
    scores: {
      student: number(scores?.["student"]),
      teacher: number(scores?.["teacher"]),
      baseline: number(scores?.["baseline"]),
    },
    teacherBytes: number(fidelity["teacherBytes"]),
    apart: list(fidelity["disagreements"]).flatMap((each) => {
      const entry = record(each);
      const [row, target] = [number(entry?.["row"]), number(entry?.["target"])];
      if (entry === null || row === null || target === null) return [];
      return [
        {
          row,
          truth: classes.length > 0 ? (classes[target] ?? "–") : written(target),
          student: said(list(entry["student"]).map((value) => number(value) ?? Number.NaN)),
          teacher: said(list(entry["teacher"]).map((value) => number(value) ?? Number.NaN)),
        },
      ];
    }),
  };
}

/** Of classes the likeliest with its probability; of two, the one number is of the second. */
function saidBy(classes: readonly string[], written: (value: number) => string): Written {
  if (classes.length === 0) return (values) => values.map(written).join(", ");
  return (values) => {
    const [only = Number.NaN] = values;
    const all = values.length === 1 ? [1 - only, only] : values;
    const best = all.reduce((first, value, at) => (value > (all[first] ?? 0) ? at : first), 0);
    return `${classes[best] ?? "–"} (${Math.round(100 * (all[best] ?? 0))} %)`;
  };
}

const record = (value: unknown): Values | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : null;
const number = (value: unknown): number | null => (typeof value === "number" ? value : null);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
