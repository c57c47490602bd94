/** What budgets are tried on: real tables of every size, and made ones that are awkward to price. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CounterRandom, deriveKey } from "../../../engine/src/compute/random.ts";
import type { TaskKind } from "../../../engine/src/tasks/index.ts";

/** A data set of `--data` under a budget in seconds. */
export interface Subject {
  readonly name: string;
  readonly seconds: number;
}

/** 20 real data sets of 150 to 619,326 rows under budgets of 5 to 120 s: 30 runs. */
export const REAL: readonly Subject[] = [
  { name: "iris", seconds: 5 },
  { name: "iris", seconds: 20 },
  { name: "wine_cultivar", seconds: 5 },
  { name: "glass", seconds: 10 },
  { name: "auto_mpg", seconds: 5 },
  { name: "titanic", seconds: 15 },
  { name: "titanic", seconds: 60 },
  { name: "credit_g", seconds: 10 },
  { name: "digits_8x8", seconds: 5 },
  { name: "digits_8x8", seconds: 30 },
  { name: "communities_crime", seconds: 10 },
  { name: "dna_splice", seconds: 5 },
  { name: "dna_splice", seconds: 20 },
  { name: "optdigits", seconds: 10 },
  { name: "optdigits", seconds: 40 },
  { name: "telco_churn", seconds: 15 },
  { name: "mushroom", seconds: 20 },
  { name: "bike_sharing_hourly", seconds: 30 },
  { name: "california_housing", seconds: 10 },
  { name: "adult", seconds: 10 },
  { name: "adult", seconds: 60 },
  { name: "diamonds", seconds: 20 },
  { name: "covertype_93k", seconds: 20 },
  { name: "covertype_93k", seconds: 120 },
  { name: "pricing_game_2015", seconds: 30 },
  { name: "skin_segmentation", seconds: 15 },
  { name: "kddcup99_10pct", seconds: 40 },
  { name: "kddcup99_10pct", seconds: 120 },
  { name: "donors_619k", seconds: 20 },
  { name: "donors_619k", seconds: 60 },
];

/** A table that is made for the purpose. */
export interface MadeSubject extends Subject {
  readonly task: TaskKind;
  readonly rows: number;
  /** The header's cells and a row's, the label `y` last. */
  readonly header: readonly string[];
  row(random: CounterRandom): readonly (string | number)[];
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `x${i}`);
const WORDS =
  "late paid order parcel broken refund wrong size colour blue red again thanks never".split(" ");

function numbers(random: CounterRandom, count: number): number[] {
  return Array.from({ length: count }, () => Number(random.nextGaussian().toFixed(3)));
}

export const MADE: readonly MadeSubject[] = [
  {
    name: "ten classes of 784 pixels",
    task: "multiclass",
    seconds: 60,
    rows: 7500,
    header: [...names(784), "y"],
    row(random) {
      const label = random.nextInteger(10);
      const cells = Array.from({ length: 784 }, (_, i) =>
        random.nextFloat() < 0.8
          ? 0
          : random.nextInteger(200) + ((i * (label + 3)) % 97 < 20 ? 55 : 0),
      );
      return [...cells, `digit ${label}`];
    },
  },
  {
    name: "a label without noise",
    task: "regression",
    seconds: 20,
    rows: 60_000,
    header: [...names(8), "y"],
    row(random) {
      const x = numbers(random, 8);
      return [...x, x[0] * x[1] + Math.sin(3 * x[2]) + x[3] ** 2];
    },
  },
  {
    name: "60 rows of 3000 columns",
    task: "binclass",
    seconds: 15,
    rows: 60,
    header: [...names(3000), "y"],
    row(random) {
      const x = numbers(random, 3000);
      return [...x, x[0] + x[1] + 0.5 * random.nextGaussian() > 0 ? "yes" : "no"];
    },
  },
  {
    name: "categories of 40000 levels",
    task: "binclass",
    seconds: 20,
    rows: 120_000,
    header: ["customer", "product", "amount", "y"],
    row(random) {
      const customer = random.nextInteger(40_000);
      const product = random.nextInteger(3000);
      const odds = (customer % 7) - 3 + (product % 5) - 2 + random.nextGaussian();
      return [`c${customer}`, `p${product}`, random.nextInteger(10_000), odds > 0 ? 1 : 0];
    },
  },
  {
    name: "sentences",
    task: "binclass",
    seconds: 15,
    rows: 30_000,
    header: ["message", "length", "y"],
    row(random) {
      const words = Array.from({ length: 12 }, () => WORDS[random.nextInteger(WORDS.length)]);
      const angry = words.filter((word) => word === "broken" || word === "never").length;
      return [words.join(" "), words.length, angry + 0.5 * random.nextGaussian() > 1.5 ? 1 : 0];
    },
  },
  {
    name: "500000 rows of 19 columns",
    task: "regression",
    seconds: 40,
    rows: 500_000,
    header: [...names(19), "y"],
    row(random) {
      const x = numbers(random, 19);
      return [...x, x[0] * x[1] + Math.sin(2 * x[2]) + 0.5 * random.nextGaussian()];
    },
  },
];

/** Writes the table as CSV into the folder, the same each time; gives its path. */
export function writeMade(subject: MadeSubject, folder: string): string {
  const random = new CounterRandom(deriveKey(0, "bench", "budget", subject.name));
  const lines = [subject.header.join(",")];
  for (let i = 0; i < subject.rows; i++) lines.push(subject.row(random).join(","));
  const path = join(folder, `${subject.name.replaceAll(/\W+/g, "-")}.csv`);
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}
