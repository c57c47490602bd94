import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { readTable, readTableFromFile } from "../../../data/readers/read-table.ts";
import { equalRows, RowHashes } from "../../../data/row-hashes.ts";
import type { Column, Table } from "../../../data/table.ts";
import type { Task } from "../../../tasks/index.ts";
import { runConfigSchema } from "../../config/config.ts";
import { planTable } from "../plan.ts";
import { explainedShare, sampleLabels } from "./explained-share.ts";
import { identifierSign } from "./identifier.ts";
import { ChanceOfRepeats, repeatedRows } from "./repeated-rows.ts";

const ROWS = 400;
const random = new CounterRandom(deriveKey(1, "leakage test"));
const draw = (make: () => number): Float64Array => Float64Array.from({ length: ROWS }, make);
const numeric = (name: string, values: Float64Array): Column => ({ kind: "numeric", name, values });
const regression: Task = { kind: "regression", classes: [] };
const binclass: Task = { kind: "binclass", classes: ["no", "yes"] };
const label = draw(() => Math.exp(2 * random.nextGaussian()));
const classes = draw(() => (random.nextFloat() < 0.1 ? 1 : 0));

const shareOf = (values: Float64Array, task: Task, target: Float64Array): number | null =>
  explainedShare(
    numeric("x", values),
    sampleLabels(task, target, { rows: null, weights: null, groups: null, key: deriveKey(0, "t") }),
  );

describe("the share of the label that a column explains", () => {
  it("is nearly all for a copy, a multiple, and a curve of the label", () => {
    for (const copy of [label, label.map((y) => -3 * y + 7), label.map((y) => Math.log(y))]) {
      expect(shareOf(copy, regression, label)).toBeGreaterThan(0.95);
    }
    expect(shareOf(classes, binclass, classes)).toBeGreaterThan(0.98);
  });

  it.each([40, 100, 250])("is nearly all for a leak of %i rows", (rows) => {
    const score = Float64Array.from({ length: rows }, () => random.nextGaussian());
    const three: Task = { kind: "multiclass", classes: ["low", "middle", "high"] };
    const halves = score.map((y) => (y > 0.3 ? 1 : 0));
    const thirds = score.map((y) => (y > 0.5 ? 2 : y > -0.5 ? 1 : 0));
    expect(shareOf(score, binclass, halves)).toBeGreaterThan(0.97);
    expect(shareOf(score, three, thirds)).toBeGreaterThan(0.97);
    expect(shareOf(halves, binclass, halves)).toBeGreaterThan(0.97);
    expect(shareOf(thirds, three, thirds)).toBeGreaterThan(0.97);
    expect(
      shareOf(
        score.map((y) => 3 * y + 1),
        regression,
        score,
      ),
    ).toBeGreaterThan(0.97);
    // Nor is every strong column a leak.
    const noisy = score.map((y) => y + 0.6 * random.nextGaussian());
    expect(shareOf(noisy, binclass, halves)).toBeLessThan(0.96);
    expect(shareOf(noisy, three, thirds)).toBeLessThan(0.96);
    expect(shareOf(noisy, regression, score)).toBeLessThan(0.96);
  });

  it("is small for noise, and follows R² in between", () => {
    const noise = draw(() => random.nextGaussian());
    const y = draw(() => random.nextGaussian());
    expect(shareOf(noise, regression, y)).toBeLessThan(0.05);
    expect(shareOf(noise, binclass, classes)).toBeLessThan(0.05);
    const mixed = y.map((value, i) => value + 0.5 * noise[i]);
    const share = shareOf(mixed, regression, y) ?? 0;
    expect(share).toBeGreaterThan(0.65);
    expect(share).toBeLessThan(0.85); // 1 / (1 + 0.25)
  });

  it("is not missed at a glance at many rows, whatever the label", () => {
    const rows = 6000;
    const gauss = (): Float64Array =>
      Float64Array.from({ length: rows }, () => random.nextGaussian());
    const score = gauss();
    const labels: readonly [Task, Float64Array][] = [
      [regression, score],
      [regression, score.map((y) => Math.exp(3 * y))],
      [regression, score.map((y) => (y > 2.5 ? y : 0))],
      [regression, score.map((y) => Math.round(2 * y))],
      [binclass, score.map((y) => (y > 0 ? 1 : 0))],
      [binclass, score.map((y) => (y > 2.8 ? 1 : 0))],
      [
        { kind: "multiclass", classes: ["a", "b", "c"] },
        score.map((y) => (y > 2 ? 2 : y > 0 ? 1 : 0)),
      ],
    ];
    let glanced = 0;
    for (const [task, target] of labels) {
      const sample = sampleLabels(task, target, {
        rows: null,
        weights: null,
        groups: null,
        key: deriveKey(0, "t"),
      });
      if (sample.glance !== null) glanced++;
      for (const noise of [0, 0.2, 2]) {
        const apart = gauss();
        const curves = [target, score, score.map(Math.cbrt)].map((of) =>
          numeric(
            "x",
            of.map((y, i) => y + noise * apart[i]),
          ),
        );
        for (const column of curves) {
          const whole = explainedShare(column, { ...sample, glance: null }) ?? 0;
          const share = explainedShare(column, sample) ?? 0;
          if (whole > 0.9) expect(share).toBe(whole);
          else expect(share).toBeLessThan(0.96);
        }
      }
    }
    expect(glanced).toBe(5);
  });

  it("sees missing values that give the label away", () => {
    const holes = classes.map((k) => (k === 1 ? Number.NaN : random.nextFloat()));
    expect(shareOf(holes, binclass, classes)).toBeGreaterThan(0.9);
  });

  it("takes a row of weight 0 for absent", () => {
    const weights = draw(() => 1);
    const broken = classes.slice();
    for (let i = 0; i < 100; i++) {
      weights[i] = 0;
      broken[i] = 1 - broken[i];
    }
    const sample = sampleLabels(binclass, classes, {
      rows: null,
      weights,
      groups: null,
      key: deriveKey(0, "t"),
    });
    expect(explainedShare(numeric("x", broken), sample)).toBeGreaterThan(0.98);
  });
});

describe("an identifier", () => {
  const count = Float64Array.from({ length: ROWS }, (_, i) => i);
  it.each<[string, Column, RegExp | null]>([
    [
      "counts up",
      numeric(
        "n",
        count.map((i) => 3 * i * i),
      ),
      /rise from row to row/,
    ],
    [
      "counts down",
      numeric(
        "n",
        count.map((i) => -i),
      ),
      /fall from row to row/,
    ],
    [
      "is shuffled",
      numeric(
        "n",
        random.shuffle(count.slice()).map((i) => i + 1000),
      ),
      /numbering/,
    ],
    [
      "is named so",
      numeric(
        "customer_id",
        draw(() => random.nextUint32()),
      ),
      /different/,
    ],
    [
      "is a measurement",
      numeric(
        "income",
        draw(() => Math.round(Math.exp(10 + 0.5 * random.nextGaussian()))),
      ),
      null,
    ],
    [
      "is a number that was given out, whatever its name",
      numeric(
        "account",
        draw(() => 100_000 + random.nextInteger(900_000_000)),
      ),
      /all different and evenly spread/,
    ],
    [
      "is a fraction",
      numeric(
        "user_id",
        draw(() => random.nextFloat()),
      ),
      null,
    ],
    [
      "is an age",
      numeric(
        "age",
        draw(() => random.nextInteger(90)),
      ),
      null,
    ],
    [
      "is a year",
      numeric(
        "year",
        count.map((i) => 1900 + Math.floor(i / 4)),
      ),
      null,
    ],
    [
      "is a code",
      { kind: "text", name: "c", values: Array.from(count, (i) => `K-${(i * 7919) % 10007}`) },
      /400 different codes/,
    ],
    [
      "is a sentence",
      { kind: "text", name: "c", values: Array.from(count, (i) => `row number ${i}`) },
      null,
    ],
  ])("%s", (_, column, sign) => {
    if (sign === null) expect(identifierSign(column, null)).toBeNull();
    else expect(identifierSign(column, null)).toMatch(sign);
  });
});

it("counts rows that are learned from and validated, as a comparison of all pairs does", () => {
  const cell = fc.constantFrom(Number.NaN, 0, -0, 1, 1e300);
  const word = fc.constantFrom("a", "b", null);
  const rows = fc.array(fc.tuple(cell, word, fc.integer({ min: 0, max: 2 })), { minLength: 4 });
  fc.assert(
    fc.property(rows, fc.infiniteStream(fc.integer({ min: 0, max: 1 })), (cells, sides) => {
      const side = cells.map(() => sides.next().value ?? 0);
      const columns: Column[] = [
        numeric(
          "n",
          Float64Array.from(cells, ([n]) => n),
        ),
        { kind: "text", name: "t", values: cells.map(([, t]) => t) },
        {
          kind: "categorical",
          name: "c",
          codes: Int32Array.from(cells, ([, , c]) => c),
          categories: ["x", "y", "z"],
        },
      ];
      const of = (wanted: number) =>
        Uint32Array.from([...cells.keys()].filter((i) => side[i] === wanted));
      const fold = { train: of(0), valid: of(1) };
      const text = cells.map(([n, t, c]) => `${n === 0 ? 0 : n}|${t}|${c}`);
      const learned = new Set(Array.from(fold.train, (i) => text[i]));
      const expected = Array.from(fold.valid, (i) => text[i]).filter((one) => learned.has(one));
      const hashes = new RowHashes(null, cells.length);
      for (const column of columns) hashes.add(column);
      expect(repeatedRows(equalRows(hashes), [fold])).toEqual({
        validated: fold.valid.length,
        repeated: expected.length,
      });
    }),
  );
});

const tableOf = (csv: string) =>
  readTable(
    (async function* () {
      yield new TextEncoder().encode(csv);
    })(),
    { format: "csv" },
  );

async function warningsOf(table: Table, task: object): Promise<readonly string[]> {
  const config = runConfigSchema.parse({ task });
  return planTable(table, config, []).plan.warnings;
}

it("a column of cases that give the label away may be the group of their rows", async () => {
  const lines = Array.from({ length: 300 }, (_, i) => {
    const patient = i % 20;
    return `P${patient},${random.nextGaussian()},${patient ** 2 + 0.01 * random.nextGaussian()}`;
  });
  const { table } = await tableOf(["patient,x,y", ...lines].join("\n"));
  const task = { taskKind: "regression", labelColumn: "y" };
  const [warning] = await warningsOf(table, task);
  expect(warning).toMatch(/"patient" alone explains .* name it as `groupColumn`/);
  const grouped = await warningsOf(table, { ...task, groupColumn: "patient" });
  expect(grouped.join()).not.toMatch(/`groupColumn`/);
});

it("what tells groups apart says nothing of other groups, and a copy of the label does", async () => {
  const lines = Array.from({ length: 400 }, (_, i) => {
    const patient = i % 40;
    const label = patient % 3 === 0 ? "ill" : "well";
    // A bed a patient; a ward is of patients of either kind.
    return `P${patient},bed ${patient},ward ${patient % 4},${label === "ill" ? "x" : "z"},${label}`;
  });
  const { table } = await tableOf(["patient,bed,ward,code,y", ...lines].join("\n"));
  const task = { taskKind: "binclass", labelColumn: "y" };
  const telling = async (own: object): Promise<(string | undefined)[]> =>
    (await warningsOf(table, { ...task, ...own })).flatMap((warning) =>
      warning.includes("alone explains") ? [/"(.*?)"/.exec(warning)?.[1]] : [],
    );
  expect(await telling({})).toEqual(["patient", "bed", "code"]);
  expect(await telling({ groupColumn: "patient" })).toEqual(["code"]);
});

it("a plan warns of each kind, naming the column and what to do", async () => {
  const lines = Array.from({ length: 200 }, (_, i) => {
    const y = random.nextGaussian();
    const day = new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
    const paid = new Date(Date.UTC(2024, 0, 3 + i)).toISOString().slice(0, 10);
    return `${i + 1},${random.nextGaussian()},${day},${paid},${2 * y + 1},same,${y}`;
  });
  const csv = ["number,x,day,paid,copy,constant,y", ...lines].join("\n");
  const { table } = await tableOf(csv);
  const warnings = await warningsOf(table, {
    taskKind: "regression",
    labelColumn: "y",
    timeColumn: "day",
  });
  const expected = [
    /"copy" alone explains .* `ignoreColumns`/,
    /"number" looks like an identifier.* `ignoreColumns`/,
    /"paid" is later than "day" in 200 of 200 rows.* `ignoreColumns`/,
    /"constant" has one value only/,
  ];
  expect(warnings.length).toBe(expected.length);
  for (const [at, pattern] of expected.entries()) expect(warnings[at]).toMatch(pattern);
  const quiet = await warningsOf(table, {
    taskKind: "regression",
    labelColumn: "y",
    timeColumn: "day",
    ignoreColumns: ["copy", "number", "paid", "constant"],
  });
  expect(quiet).toEqual([]);
});

it("a plan warns of a label that is computed from columns, and of one alone no second time", async () => {
  const lines = Array.from({ length: 100 }, () => {
    const [a, b, c] = [0, 1, 2].map(() => Math.round(1e4 * random.nextFloat()) / 100);
    return `${a},${b},${c},${a - 2 * b + 5}`;
  });
  const { table } = await tableOf(["a,b,c,y", ...lines].join("\n"));
  const task = { taskKind: "regression", labelColumn: "y" };
  expect(await warningsOf(table, task)).toEqual([
    'The label is the sum "a" + 5 - 2 × "b" in each of 100 rows that were looked at. If these columns are known when predictions are made, compute it and train on something else; if not, put them into `ignoreColumns`.',
  ]);
  expect(await warningsOf(table, { ...task, ignoreColumns: ["a"] })).toEqual([]);
  const ratios = Array.from({ length: 100 }, () => {
    const [a, b] = [0, 1].map(() => Math.round(1e4 * random.nextFloat() + 1) / 100);
    return `${a},${b},${(0.5 * a) / (b * b)}`;
  });
  const { table: divided } = await tableOf(["a,b,y", ...ratios].join("\n"));
  expect((await warningsOf(divided, task))[0]).toMatch(
    /^The label is the product 0.5 × "a" \/ "b"\^2 in each of 100 rows/,
  );
});

it("a time column that the label follows is no leak", async () => {
  const lines = Array.from({ length: 200 }, (_, i) => {
    const day = new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
    return `${day},${random.nextGaussian()},${i + 0.1 * random.nextGaussian()}`;
  });
  const { table } = await tableOf(["day,x,y", ...lines].join("\n"));
  const task = { taskKind: "regression", labelColumn: "y" } as const;
  const [warning] = await warningsOf(table, task);
  expect(warning).toMatch(/"day" alone explains/);
  expect(await warningsOf(table, { ...task, timeColumn: "day" })).toEqual([]);
});

it("a plan warns of rows in order of a time that the label drifts with, unless folds follow it", async () => {
  const day = (i: number): string => new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10);
  const noise = Array.from({ length: 200 }, () => random.nextGaussian());
  const csvOf = (drift: number, order: readonly number[]): string =>
    ["day,x,y", ...order.map((i) => `${day(i)},${i % 7},${drift * i + noise[i]}`)].join("\n");
  const task = { taskKind: "regression", labelColumn: "y" } as const;
  const warnings = async (drift: number, order: readonly number[], roles: object = {}) =>
    warningsOf((await tableOf(csvOf(drift, order))).table, { ...task, ...roles });
  const forwards = [...noise.keys()];
  const told = /^The rows are in order of "day", .* explains \d+ % of the label.*`timeColumn`/;
  for (const order of [forwards, forwards.toReversed()]) {
    expect(await warnings(0.02, order)).toEqual([expect.stringMatching(told)]);
  }
  expect(await warnings(0.02, forwards, { timeColumn: "day" })).toEqual([]);
  expect(await warnings(0.02, forwards, { groupColumn: "x" })).toEqual([]);
  expect(await warnings(0, forwards)).toEqual([]);
  const shuffled = forwards.toSorted((a, b) => ((a * 73) % 200) - ((b * 73) % 200));
  expect(await warnings(0.02, shuffled)).toEqual([]);
});

it("a plan warns of equal rows on both sides of a fold", async () => {
  const lines = Array.from({ length: 50 }, () => `${random.nextFloat()},${random.nextFloat()}`);
  const csv = ["x,y", ...lines, ...lines].join("\n");
  const { table } = await tableOf(csv);
  const [warning] = await warningsOf(table, { taskKind: "regression", labelColumn: "y" });
  expect(warning).toMatch(/^\d+ of 100 validation rows equal a training row .* `groupColumn`/);
});

it("a plan warns of copies that have numbers of their own, or the last digits of another format", async () => {
  const lines = Array.from({ length: 50 }, () => [random.nextFloat(), random.nextFloat()]);
  const twice = [...lines, ...lines.map(([x, y]) => [x, y * (1 + 1e-12)])];
  const csv = ["id,x,y", ...twice.map((cells, i) => [1000 + i, ...cells].join())].join("\n");
  const { table } = await tableOf(csv);
  const warnings = await warningsOf(table, { taskKind: "regression", labelColumn: "y" });
  expect(warnings.at(-1)).toMatch(
    /^\d+ of 100 validation rows equal a training row of their fold in every feature but "id" and the label/,
  );
});

it("different cases have equal marks, and no warning", async () => {
  const lines = Array.from(
    { length: 200 },
    (_, i) => `${1000 + i},${"abc"[i % 3]},${i % 5},${i % 2 ? "no" : "yes"}`,
  );
  const { table } = await tableOf(["id,mark,grade,y", ...lines].join("\n"));
  const warnings = await warningsOf(table, { taskKind: "binclass", labelColumn: "y" });
  expect(warnings.join()).not.toMatch(/equal a training row/);
});

describe("equal rows of few columns with few values", () => {
  const draws = (count: number, values: number): number[] =>
    Array.from({ length: count }, () => Math.floor(values * random.nextFloat()));

  it("are expected as often as they come about", () => {
    const columns = [5, 8, 30].map((values, c) =>
      numeric(`c${c}`, Float64Array.from(draws(3000, values))),
    );
    const [train, valid] = [0, 1].map((side) =>
      Uint32Array.from({ length: 1500 }, (_, i) => 1500 * side + i),
    );
    const chance = new ChanceOfRepeats(null, 3000);
    const hashes = new RowHashes(null, 3000);
    for (const column of columns) {
      chance.add(column);
      hashes.add(column);
    }
    const { repeated } = repeatedRows(equalRows(hashes), [{ train, valid }]);
    const expected = chance.expected([{ train, valid }]);
    expect(repeated / expected).toBeGreaterThan(0.9);
    expect(repeated / expected).toBeLessThan(1.1);
  });

  it("are no news, and those of copies are", async () => {
    const task = { taskKind: "binclass", labelColumn: "y" } as const;
    const cells = [4, 6, 25, 2].map((values) => draws(600, values));
    const lines = Array.from({ length: 600 }, (_, i) =>
      cells.map((of, c) => (c === 3 ? "ny"[of[i]] : of[i])).join(),
    );
    const told = /equal a training row of their fold/;
    const warned = async (rows: readonly string[]) =>
      (await warningsOf((await tableOf(["a,b,c,y", ...rows].join("\n"))).table, task)).join();
    expect(await warned(lines)).not.toMatch(told);
    const measured = lines.map((line) => `${random.nextFloat().toFixed(3)},${line}`);
    const copied = [...measured.slice(0, 500), ...measured.slice(0, 100)];
    const header = "m,a,b,c,y";
    const { table } = await tableOf([header, ...copied].join("\n"));
    expect((await warningsOf(table, task)).join()).toMatch(told);
  });
});

it("raises no alarm over honest tables", async () => {
  const fixtures = new URL("../../../../../fixtures/", import.meta.url);
  const { table } = await readTableFromFile(
    fileURLToPath(new URL("car_evaluation/data.csv", fixtures)),
    { format: "csv" },
  );
  expect(await warningsOf(table, { taskKind: "multiclass", labelColumn: "class" })).toEqual([]);
});

it("says once that a column has no values, and what follows", async () => {
  const lines = Array.from({ length: 60 }, (_, i) => `${random.nextGaussian()},,${i % 7}`);
  const { table, warnings } = await readTable(
    new TextEncoder().encode(`x,none,y\n${lines.join("\n")}`),
    {
      format: "csv",
    },
  );
  const config = runConfigSchema.parse({ task: { taskKind: "regression", labelColumn: "y" } });
  const read = warnings.map(({ message }) => message);
  expect(read).toEqual(['Column "none" has no values.']);
  const { plan } = planTable(table, config, [...read, "Something else."]);
  expect(plan.warnings.filter((each) => each.includes("no values"))).toEqual([
    'Column "none" has no values; it is not used.',
  ]);
  expect(plan.warnings).toContain("Something else.");
});

describe("channels of sequences", () => {
  const steps = (make: (id: number, step: number, label: number) => number): Table => {
    const ids: number[] = [];
    const labels: number[] = [];
    const columns = { noise: [] as number[], x: [] as number[] };
    for (let id = 0; id < 120; id++) {
      const label = random.nextFloat() < 0.5 ? 1 : 0;
      for (let step = 0; step < 5; step++) {
        ids.push(id);
        labels.push(label);
        columns.noise.push(random.nextGaussian());
        columns.x.push(make(id, step, label));
      }
    }
    const of = (name: string, values: number[]) => numeric(name, Float64Array.from(values));
    const all = [of("id", ids), of("y", labels), of("noise", columns.noise), of("x", columns.x)];
    return { rows: ids.length, columns: all };
  };
  const said = (table: Table): readonly string[] => {
    const task = { taskKind: "sequence_binclass", labelColumn: "y", sequenceColumn: "id" };
    return planTable(table, runConfigSchema.parse({ task }), []).plan.warnings.filter((warning) =>
      warning.startsWith("Column"),
    );
  };

  it("are told where they are the label at the last step", () => {
    expect(said(steps((id, step, label) => (step === 4 ? label : id % 7)))).toEqual([
      'Column "x" alone explains 100.0 % of the label by its last step: if it is not known when predictions are made, put it into `ignoreColumns`.',
    ]);
  });

  it("are left alone where their course tells the label", () => {
    expect(said(steps((_, __, label) => label + 2 * random.nextGaussian()))).toEqual([]);
  });
});
