import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { DataShape } from "../family.ts";
import { FAMILIES } from "../index.ts";
import { minirocket } from "../minirocket/family.ts";

const [LEARNED, ASKED] = [30, 60];

/** Waves of classes that differ by cycles in a sequence, or in so many steps; lengths differ threefold. */
function waves(by: "sequence" | "step"): Table {
  const random = new CounterRandom(deriveKey(3, by));
  const rows = Array.from({ length: LEARNED + ASKED }, (_, s) => {
    const steps = 40 + random.nextInteger(80);
    const speed = (by === "sequence" ? 1 / steps : 1 / 80) * (3 + (s % 3));
    const phase = random.nextFloat();
    return Array.from({ length: steps }, (_each, t) => ({
      ...{ s, t, y: s % 3 },
      x: Math.sin(2 * Math.PI * (speed * t + phase)) + 0.3 * random.nextGaussian(),
    }));
  }).flat();
  const column = (name: "s" | "t" | "x" | "y"): NumericColumn => ({
    kind: "numeric",
    name,
    values: Float64Array.from(rows, (row) => row[name]),
  });
  return { rows: rows.length, columns: [column("s"), column("t"), column("x"), column("y")] };
}

function rightOf(by: "sequence" | "step", lengths: string): number {
  const { data, task, target } = prepareTable(
    waves(by),
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "sequence_multiclass", labelColumn: "y" },
        ...{ sequenceColumn: "s", orderColumn: "t" },
      },
      nCvSplits: 2,
    }),
  );
  const shape: DataShape = { rows: LEARNED, task, features: data.features };
  const model = minirocket.fit(
    {
      ...{ data, task, target, softTarget: null, weights: null, validRows: null, monotone: {} },
      trainRows: Uint32Array.from({ length: LEARNED }, (_, row) => row),
      key: deriveKey(0, "fit"),
    },
    { ...minirocket.defaults(shape), lengths },
  );
  const asked = Uint32Array.from({ length: ASKED }, (_, row) => LEARNED + row);
  const shares = model.predict(data, asked);
  const right = asked.filter((row, i) => {
    const own = shares.subarray(3 * i, 3 * i + 3);
    return own.indexOf(Math.max(...own)) === target[row];
  });
  return right.length / ASKED;
}

describe("lengths", () => {
  it("resampled tell cycles of whole sequences", () => {
    expect(rightOf("sequence", "original")).toBeLessThan(0.85);
    expect(rightOf("sequence", "resampled")).toBeGreaterThan(0.9);
  });

  it("as they are tell cycles of a second", () => {
    expect(rightOf("step", "original")).toBeGreaterThan(0.9);
    expect(rightOf("step", "resampled")).toBeLessThan(0.85);
  });

  it.each(["sequence", "step"] as const)("both tell either: by %s", (by) => {
    expect(rightOf(by, "both")).toBeGreaterThan(0.9);
  });
});

describe.each(FAMILIES.filter(({ reads }) => reads === "sequences"))("$id", (family) => {
  const shape = (isUnequal: boolean): DataShape => ({
    rows: 100,
    task: { kind: "sequence_regression", classes: [] },
    features: [],
    sequences: { channels: 1, steps: 50, ...(isUnequal && { isUnequal }) },
  });

  it("is searched with and without one length where lengths differ", () => {
    const tried = family.portfolio(shape(true)).map(({ lengths }) => lengths);
    expect(tried).toEqual(expect.arrayContaining(["original", "resampled"]));
    expect(family.searchSpace(shape(true))).toHaveProperty("lengths");
  });

  it("takes equal lengths as they are", () => {
    const tried = family.portfolio(shape(false)).map(({ lengths }) => lengths);
    expect(new Set(tried)).toEqual(new Set(["original"]));
    expect(family.searchSpace(shape(false))).not.toHaveProperty("lengths");
  });
});
