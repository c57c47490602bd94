import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { ComputePool } from "../compute/pool.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { readTableFromFile } from "../data/readers/read-table.ts";
import type { Column, Table } from "../data/table.ts";
import { takeRows } from "../data/table-rows.ts";
import { loadModel } from "../model/load.ts";
import type { Model } from "../model/model.ts";
import { sharedPool } from "../testing/shared-pools.ts";
import { type RunConfigInput, runConfigSchema } from "./config/config.ts";
import { MemoryRunStore, readModelFile } from "./log/store.ts";
import { prepareTable } from "./plan/prepare.ts";
import { RunDriver } from "./run.ts";

let pool: ComputePool;
beforeAll(() => {
  pool = sharedPool(2);
});

const quick: Omit<RunConfigInput, "task"> = {
  hpoSpace: { models: [{ family: "gbdt", fixed: { n_estimators: 40, num_leaves: 15 } }] },
  nTrials: 1,
};

async function trained(table: Table, config: RunConfigInput): Promise<Model> {
  const parsed = runConfigSchema.parse(config);
  const store = new MemoryRunStore();
  await new RunDriver({ run: prepareTable(table, parsed), config: parsed, store, pool }).drive();
  return loadModel((path) => readModelFile(store, path));
}

describe("on rows held out of real data, nominal 90 % is 88 to 92 %", () => {
  let table: Table;
  beforeAll(async () => {
    const path = fileURLToPath(
      new URL("../../../fixtures/bike_sharing_hourly/data.csv.gz", import.meta.url),
    );
    ({ table } = await readTableFromFile(path, { format: "csv" }));
  });

  /** A random split; columns that add up to the target or number the rows are left out. */
  function split(seed: number, rows: number): { known: Table; fresh: Table } {
    const order = Uint32Array.from({ length: table.rows }, (_, row) => row);
    new CounterRandom(deriveKey(seed, "split")).shuffle(order);
    const left = ["instant", "casual", "registered", "dteday"];
    const names = table.columns.map(({ name }) => name).filter((name) => !left.includes(name));
    return {
      known: takeRows(table, names, order.slice(0, rows).sort()),
      fresh: takeRows(table, names, order.slice(rows, rows + 5000).sort()),
    };
  }

  const numbers = (from: Table, name: string): Float64Array => {
    const column = from.columns.find((each) => each.name === name);
    if (column?.kind !== "numeric") throw new Error(`${name} is not numeric.`);
    return column.values;
  };

  it.each([true, false])("intervals, ensemble: %s", async (ensemble) => {
    let sum = 0;
    for (const seed of [0, 1]) {
      const { known, fresh } = split(seed, 700);
      const task = { taskKind: "regression", labelColumn: "cnt" } as const;
      const model = await trained(known, { ...quick, task, ensemble });
      const { intervals, values } = model.predict(fresh);
      if (!intervals?.bounds) throw new Error("No intervals.");
      const { lower, upper } = intervals.bounds;
      const inside = numbers(fresh, "cnt").map((value, row) =>
        value >= lower[row] && value <= upper[row] ? 1 : 0,
      );
      const coverage = inside.reduce((total, each) => total + each, 0) / fresh.rows;
      sum += coverage / 2;
      // Counts are noisier where they are high, and never negative.
      const widths = upper.map((end, row) => end - lower[row]);
      const byValue = [...values.keys()].sort((a, b) => values[a] - values[b]);
      expect(widths[byValue[4500]]).toBeGreaterThan(2 * widths[byValue[500]]);
      expect(Math.min(...values.map((value, row) => lower[row] - Math.min(0, value)))).toBe(0);
      const { uncertainty } = model.document.card;
      expect(uncertainty?.measured).toBeGreaterThan(0.88);
      expect(uncertainty?.measured).toBeLessThan(0.92);
    }
    expect(sum).toBeGreaterThan(0.88);
    expect(sum).toBeLessThan(0.92);
  });

  it("sets of classes", async () => {
    let sum = 0;
    for (const seed of [0, 1]) {
      const { known, fresh } = split(seed, 700);
      const task = { taskKind: "multiclass", labelColumn: "weathersit" } as const;
      const model = await trained(known, { ...quick, task });
      const { classes } = model.document.task;
      const { sets, outputs, values } = model.predict(fresh);
      const labels = model.decide(model.predict(fresh));
      expect(outputs * fresh.rows).toBe(values.length);
      numbers(fresh, "weathersit").forEach((value, row) => {
        sum += (sets?.members[row * classes.length + classes.indexOf(String(value))] ?? 0) / 2;
        expect(sets?.members[row * classes.length + labels[row]]).toBe(1);
      });
    }
    expect(sum / 5000).toBeGreaterThan(0.88);
    expect(sum / 5000).toBeLessThan(0.92);
  });
});

describe("the corners", () => {
  const numeric = (name: string, values: number[]): Column => ({
    kind: "numeric",
    name,
    values: Float64Array.from(values),
  });
  const line = (rows: number): Table => {
    const random = new CounterRandom(deriveKey(1, "line"));
    const x = Array.from({ length: rows }, () => random.nextGaussian());
    return {
      rows,
      columns: [
        numeric("x", x),
        numeric(
          "y",
          x.map((each) => 2 * each + random.nextGaussian()),
        ),
        numeric(
          "w",
          x.map((_, row) => row % 2),
        ),
        numeric(
          "t",
          x.map((_, row) => row),
        ),
      ],
    };
  };
  const of = (rows: number, more: Partial<RunConfigInput>, task: object = {}): Promise<Model> =>
    trained(line(rows), {
      modelFamilies: ["linear"],
      nTrials: 1,
      ...more,
      task: { taskKind: "regression", labelColumn: "y", ...task },
    });

  it("too few rows: null, a warning with the prediction and in the card; lower levels hold", async () => {
    const model = await of(30, { nCvSplits: null });
    const { intervals, warnings } = model.predict(line(3));
    expect(intervals).toEqual({ level: 0.9, bounds: null });
    expect(warnings.join()).toMatch(/6 rows .* too few for 90 % intervals/);
    expect(model.document.card.uncertainty).toMatchObject({ measured: null, meanWidth: null });
    expect(model.document.card.uncertainty?.warnings.join()).toMatch(/too few/);
    expect(model.predict(line(3), { coverage: 0.6 }).intervals?.bounds).not.toBeNull();
  });

  it("one holdout: intervals, measured on parts of it", async () => {
    const model = await of(400, { nCvSplits: null });
    expect(model.predict(line(3)).intervals?.bounds).not.toBeNull();
    expect(model.document.card.uncertainty?.measured).toBeGreaterThan(0.8);
  });

  it("rows of weight 0 do not count", async () => {
    const model = await of(200, {}, { weightColumn: "w" });
    expect(model.document.conformal?.rows).toBe(100);
  });

  it("folds in time: the card warns, and a mean over folds is not made narrower", async () => {
    const model = await of(200, {}, { timeColumn: "t" });
    expect(model.document.card.uncertainty?.warnings.join()).toMatch(/ordered by time/);
    expect(model.document.conformal).toMatchObject({ narrowed: false });
    expect((await of(200, {})).document.conformal).toMatchObject({ narrowed: true });
  });

  it("another level of the config is the one that predictions have", async () => {
    const model = await of(300, { coverage: 0.755 });
    expect(model.predict(line(3)).intervals?.level).toBe(0.755);
    expect(model.predict(line(3), { coverage: 0.8 }).intervals?.level).toBe(0.8);
    expect(() => model.predict(line(3), { coverage: 0.999 })).toThrow(RangeError);
    expect(() => runConfigSchema.parse({ ...model.document.card.config, coverage: 0.5 })).toThrow(
      /coverage/,
    );
  });
});
