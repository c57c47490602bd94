import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import type { Table } from "../../data/table.ts";
import { runConfigSchema } from "../../trainer/config/config.ts";
import { prepareTable } from "../../trainer/plan/prepare.ts";
import type { DataShape } from "../family.ts";
import { lagGbdt } from "./family.ts";

const STEPS = 900;
const DAY = 86_400_000;
const draw = new CounterRandom(deriveKey(4, "days"));
const WEEK = [0, 4, 9, 6, 2, -8, -12];

/** Each step at a time, with the time of a column of its own that is known in advance. */
function runOf(timeOf: (t: number) => number) {
  const times = (name: string, of: (t: number) => number) => ({
    ...{ kind: "timestamp" as const, name },
    values: Float64Array.from({ length: STEPS }, (_, t) => of(t)),
  });
  const table: Table = {
    rows: STEPS,
    columns: [
      times("t", timeOf),
      times("published", (t) => timeOf(t) - (t % 5) * 400 * DAY),
      {
        ...{ kind: "numeric", name: "y" },
        values: Float64Array.from(
          { length: STEPS },
          (_, t) => 100 + 0.02 * t + WEEK[t % 7] + draw.nextGaussian(),
        ),
      },
    ],
  };
  return prepareTable(
    table,
    runConfigSchema.parse({
      task: {
        ...{ taskKind: "forecasting", labelColumn: "y", timeColumn: "t", horizon: 7 },
        knownColumns: ["published"],
      },
    }),
  );
}

const days = runOf((t) => Date.UTC(2023, 0, 1) + t * DAY);
const months = runOf((t) => Date.UTC(1940, t, 1));

const shapeOf = ({ task, data }: typeof days, isLong: boolean): DataShape => ({
  ...{ rows: STEPS, task, features: data.features },
  series: { count: 1, steps: STEPS, horizon: 7, seasons: [isLong ? 12 : 7], zeros: 0, isLong },
});

/** Names of the data's features that the trees know. */
function readBy(run: typeof days, parameters: ReturnType<typeof lagGbdt.defaults>): string[] {
  const model = lagGbdt.fit(
    {
      ...{ task: run.task, data: run.data, target: run.target, softTarget: null },
      ...{ weights: run.weights, trainRows: run.folds[0].train, validRows: run.folds[0].valid },
      ...{ key: deriveKey(1, "fit"), monotone: {} },
    },
    { ...parameters, rounds: 5 },
  );
  const names = JSON.stringify(model.save().header).match(/known \d+ [^"]+/g) ?? [];
  return [...new Set(names.map((name) => name.replace(/known \d+ /, "")))];
}

describe("what trees over lags read of the times", () => {
  it("is what comes again where steps are days, and nothing that is beyond all of training", () => {
    const parameters = lagGbdt.defaults(shapeOf(days, false));
    expect(parameters["times"]).toBe("cycles");
    const read = readBy(days, parameters);
    expect(read).toEqual(expect.arrayContaining(["t.month", "t.day", "t.weekday"]));
    expect(read).not.toContain("t.year");
    expect(read).not.toContain("t.elapsed_days");
    // Of another column they are known of steps to come, and need not grow.
    expect(read).toEqual(expect.arrayContaining(["published.year", "published.elapsed_days"]));
  });

  it("is all of them where steps are months or longer, and where that is asked for", () => {
    const parameters = lagGbdt.defaults(shapeOf(months, true));
    expect(parameters["times"]).toBe("all");
    for (const run of [months, days]) {
      expect(readBy(run, parameters)).toEqual(
        expect.arrayContaining(["t.year", "t.month", "t.elapsed_days"]),
      );
    }
    // Parameters of former runs say nothing of it.
    const { times: _, ...former } = parameters;
    expect(readBy(days, former)).toContain("t.year");
  });

  it("is tried the other way round, too", () => {
    for (const isLong of [false, true]) {
      const points = lagGbdt.portfolio(shapeOf(isLong ? months : days, isLong));
      expect(new Set(points.map((point) => point["times"]))).toEqual(new Set(["all", "cycles"]));
    }
  });

  it("goes by the steps of the run", () => {
    const isLong = (run: typeof days): unknown =>
      run.data.frame?.kind === "series" ? run.data.frame.time : undefined;
    expect(isLong(days)).toEqual({ column: "t", isLong: false });
    expect(isLong(months)).toEqual({ column: "t", isLong: true });
  });
});
