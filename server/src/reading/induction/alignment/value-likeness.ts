/** Whether two labels' values look like those of one field, whatever they say. */

import type { Mention } from "../candidates/mention.ts";
import type { ValueKind } from "../values/value.ts";
import type { LabelGroup } from "./label-group.ts";

/** Kinds that say enough of a value by themselves. */
const TELLING: ReadonlySet<ValueKind> = new Set([
  "date",
  "duration",
  "phone",
  "email",
  "url",
  "percent",
  "address",
  "organization",
  "person",
  "boolean",
]);
const FIGURES: ReadonlySet<ValueKind> = new Set(["money", "number", "quantity"]);
/** Medians of one field's figures in two layouts. */
const MOST_TIMES = 30;
/** Of the values, those that are shaped like one of the other's. */
const LEAST_SHAPED = 0.5;

export function areValuesAlike(a: readonly LabelGroup[], b: readonly LabelGroup[]): boolean {
  const [one, two] = [a, b].map((groups) => groups.flatMap(({ mentions }) => mentions));
  const [kind, other] = [kindOf(one!), kindOf(two!)];
  if (FIGURES.has(kind) && FIGURES.has(other)) return areFiguresAlike(one!, two!);
  if (kind === other && TELLING.has(kind)) return true;
  return areShapedAlike(one!, two!);
}

function kindOf(mentions: readonly Mention[]): ValueKind {
  const counts = [...Map.groupBy(mentions, ({ kind }) => kind)];
  return counts.sort(([a, m], [b, n]) => n.length - m.length || (a < b ? -1 : 1))[0]![0];
}

function areFiguresAlike(a: readonly Mention[], b: readonly Mention[]): boolean {
  const [one, two] = [a, b].map((mentions) =>
    mentions.flatMap(({ finding }) =>
      typeof finding.normal === "number" ? [Math.abs(finding.normal)] : [],
    ),
  );
  if (one!.length === 0 || two!.length === 0) return false;
  const [less, more] = [median(one!), median(two!)].toSorted((x, y) => x - y);
  return more! + 1 <= MOST_TIMES * (less! + 1) && haveDecimals(a) === haveDecimals(b);
}

/** Whether most are written with a part of one. */
function haveDecimals(mentions: readonly Mention[]): boolean {
  const written = mentions.filter(({ finding }) => /\d[.,]\d{1,2}(?!\d)/.test(finding.text));
  return 2 * written.length > mentions.length;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function areShapedAlike(a: readonly Mention[], b: readonly Mention[]): boolean {
  const [one, two] = [a, b].map((mentions) => mentions.map(({ finding }) => shapeOf(finding.text)));
  const share = (own: readonly string[], others: readonly string[]): number =>
    own.filter((shape) => others.includes(shape)).length / own.length;
  return Math.max(share(one!, two!), share(two!, one!)) >= LEAST_SHAPED;
}

const MOST_WORDS = 5;

/** `KX19 ABC` is `A9 A`, `17:05` is `9:9`; words alone are a few or many. */
function shapeOf(text: string): string {
  if (!/\p{N}/u.test(text)) {
    return text.trim().split(/\s+/).length <= MOST_WORDS ? "words" : "passage";
  }
  return text
    .trim()
    .replace(/\p{L}+/gu, "A")
    .replace(/\p{N}+/gu, "9")
    .slice(0, 24);
}
