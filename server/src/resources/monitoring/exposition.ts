/** Metrics as text that Prometheus reads: version 0.0.4 of its text-based exposition format. */

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

export type Labels = Readonly<Record<string, string>>;

/** A distribution: how many were at most each bound, and all of them. */
export interface Distribution {
  /** Ascending bounds, and how many were at most that; without +Inf. */
  readonly cumulative: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
}

interface Head {
  /** By the conventions of Prometheus: the unit at its end, `_total` behind that of a counter. */
  readonly name: string;
  readonly help: string;
}

export type Family = Head &
  (
    | {
        readonly type: "counter" | "gauge";
        readonly samples: readonly (readonly [labels: Labels, value: number])[];
      }
    | {
        readonly type: "histogram";
        readonly samples: readonly (readonly [labels: Labels, value: Distribution])[];
      }
  );

/** @returns each family once, with its lines; families without samples are left out */
export function expositionOf(families: readonly Family[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map((family) => `${headOf(family)}${linesOf(family).join("\n")}\n`)
    .join("");
}

const headOf = ({ name, help, type }: Family): string =>
  `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;

function linesOf(family: Family): string[] {
  const { name } = family;
  if (family.type !== "histogram") {
    return family.samples.map(([labels, value]) => line(name, labels, value));
  }
  return family.samples.flatMap(([labels, { cumulative, count, sum }]) => [
    ...cumulative.map(([bound, atMost]) =>
      line(`${name}_bucket`, { ...labels, le: String(bound) }, atMost),
    ),
    line(`${name}_bucket`, { ...labels, le: "+Inf" }, count),
    line(`${name}_sum`, labels, sum),
    line(`${name}_count`, labels, count),
  ]);
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${numberText(value)}`;
}

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const numberText = (value: number): string => {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
};
