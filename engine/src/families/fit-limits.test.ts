import { describe, expect, it } from "vitest";
import { Arena } from "../compute/arena.ts";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { fitBinning } from "../data/binning/fit-binning.ts";
import { encodeFeatures } from "../data/encode.ts";
import { featureColumns } from "../data/feature-columns.ts";
import { fitFeatureSchema } from "../data/fit-feature-schema.ts";
import type { NumericColumn, Table } from "../data/table.ts";
import { packModel } from "../model/packed.ts";
import type { Parameters } from "../search/space.ts";
import type { Task } from "../tasks/index.ts";
import { type FitBounds, FitLimits, FitStoppedError } from "./fit-limits.ts";
import { familyById } from "./index.ts";

const ROWS = 400;
const random = new CounterRandom(deriveKey(0, "limits"));
const column = (name: string): NumericColumn => ({
  kind: "numeric",
  name,
  values: Float64Array.from({ length: ROWS }, () => random.nextGaussian()),
});
const table: Table = { rows: ROWS, columns: ["a", "b", "c"].map(column) };
const schema = fitFeatureSchema(table);
const bins = fitBinning(featureColumns(schema, table, null), { key: deriveKey(0, "bins") });
const data = encodeFeatures(schema, table, Arena.create(), { bins, values: true });
const task: Task = { kind: "multiclass", classes: ["x", "y", "z"] };
const target = Float64Array.from({ length: ROWS }, () => random.nextInteger(3));

interface Subject {
  readonly family: string;
  readonly parameters: Parameters;
}

const SUBJECTS: readonly Subject[] = [
  { family: "gbdt", parameters: { early_stopping_rounds: 0 } },
  { family: "random_forest", parameters: {} },
  { family: "extra_trees", parameters: {} },
  { family: "linear", parameters: { penalty: 1e-9 } },
  { family: "linear", parameters: { penalty: 1e-6, regularization: "elastic_net" } },
  { family: "oblivious", parameters: { early_stopping_rounds: 0, n_estimators: 300, depth: 3 } },
];

/** What comes after its steps, it does to the end. */
const SHORT_OF_TIME: Subject = { family: "gaussian_process", parameters: { learning_rows: 30 } };

function fitted({ family, parameters }: Subject, limits: FitLimits): Uint8Array {
  const found = familyById(family);
  if (!found) throw new Error(`There is no family ${family}.`);
  const all = Uint32Array.from({ length: ROWS }, (_, row) => row);
  const model = found.fit(
    {
      task,
      data,
      target,
      softTarget: null,
      weights: null,
      trainRows: all.slice(0, 300),
      validRows: all.slice(300),
      key: deriveKey(0, "fit"),
      monotone: {},
      limits,
    },
    parameters,
  );
  return packModel(model.save());
}

/** Asks a fit to stop once it has come so far. */
class StoppedAt extends FitLimits {
  readonly #word: Int32Array;
  #left: number;

  constructor(iterations: number) {
    const word = new Int32Array(new SharedArrayBuffer(4));
    super({ stop: word });
    this.#word = word;
    this.#left = iterations;
  }

  override begin(): boolean {
    if (this.#left-- === 0) Atomics.store(this.#word, 0, 1);
    return super.begin();
  }
}

/** Has an hour, of which a fit is to keep two once it has come so far. */
class ShortAfter extends FitLimits {
  #left: number;
  seconds = 0;

  constructor(iterations: number) {
    super({ seconds: 3600 });
    this.#left = iterations;
  }

  override keep(seconds: number): void {
    this.seconds = seconds;
    super.keep(--this.#left > 0 ? seconds : 7200);
  }
}

it("gives up what comes before and after the iterations where the time is over, unless it must learn", () => {
  const over = { seconds: -1, stop: Int32Array.of(1) };
  expect(() => new FitLimits(over).throwIfOver()).toThrow(FitStoppedError);
  expect(() => new FitLimits(over).throwIfLate()).toThrow(FitStoppedError);
  const limits = new FitLimits({ ...over, mustLearn: true });
  limits.throwIfOver();
  expect([limits.begin(), limits.begin()]).toEqual([true, false]);
  limits.throwIfLate();
  expect(limits.cutAt).toBe(1);
});

describe("FitLimits", () => {
  it("allows a first iteration whatever the time, and gives up later ones amid their work", () => {
    const late = new FitLimits({ seconds: 0 }, performance.now() - 1000);
    expect(late.cutAt).toBeNull();
    expect(late.begin()).toBe(true);
    expect(late.abandons()).toBe(false);
    expect(late.begin()).toBe(false);
    expect(late.cutAt).toBe(1);
    expect(() => late.throwIfOver()).toThrow(FitStoppedError);

    const stop = new Int32Array(new SharedArrayBuffer(4));
    const asked = new FitLimits({ stop });
    for (let i = 0; i < 3; i++) expect(asked.begin()).toBe(true);
    asked.throwIfOver();
    Atomics.store(stop, 0, 1);
    expect(asked.abandons()).toBe(true);
    expect(asked.cutAt).toBe(2);
  });

  it("counts processor time beside wall time, and asks for it only where it may be over", () => {
    let processor = 500;
    let asked = 0;
    const clock = (): number => {
      asked++;
      return processor;
    };
    const bounds = { seconds: 3600, processorSeconds: 60 };
    const begun = new FitLimits(bounds, performance.now(), clock);
    processor += 61_000;
    // Of a minute of wall time, none can have been more than that of the processor.
    for (let i = 0; i < 3; i++) expect(begun.begin()).toBe(true);
    expect(asked).toBe(1);

    processor = 500;
    const waited = new FitLimits(bounds, performance.now() - 120_000, clock);
    processor += 59_000;
    for (let i = 0; i < 3; i++) expect(waited.begin()).toBe(true);
    expect(waited.iterations).toBe(3);
    processor += 2_000;
    expect(waited.abandons()).toBe(true);
    expect(waited.cutAt).toBe(2);
    expect(waited.iterations).toBe(2);
  });

  it("leaves as much time as is to be kept, and does not take it for the end", () => {
    const limits = new FitLimits({ seconds: 3600 });
    limits.keep(7200);
    expect(limits.begin()).toBe(true);
    expect(limits.begin()).toBe(false);
    expect(limits.cutAt).toBe(1);
    limits.throwIfOver();
  });

  it("ends the steps of a Gaussian process where the time is for its posterior", () => {
    const short = new ShortAfter(3);
    const asked = fitted(SHORT_OF_TIME, short);
    expect(short.cutAt).toBe(3);
    expect(short.seconds).toBeGreaterThan(0);
    expect(fitted(SHORT_OF_TIME, new FitLimits({ iterations: 3 }))).toEqual(asked);
  });

  for (const subject of SUBJECTS) {
    const name = [subject.family, ...Object.values(subject.parameters)].join(" ");
    it(`ends a fit of ${name} where it is asked to, and a number repeats that`, () => {
      const stopped = new StoppedAt(4);
      const asked = fitted(subject, stopped);
      expect(stopped.cutAt).toBe(4);
      const told = new FitLimits({ iterations: 4 });
      expect(fitted(subject, told)).toEqual(asked);
      expect(told.cutAt).toBe(4);

      const free = new FitLimits();
      expect(fitted(subject, free)).not.toEqual(asked);
      expect(free.cutAt).toBeNull();
    });
  }

  it("stops a linear fit whose time is over before it has begun to solve", () => {
    const stop = new Int32Array(new SharedArrayBuffer(4)).fill(1);
    expect(() => fitted(SUBJECTS[3], new FitLimits({ stop }))).toThrow(FitStoppedError);
  });
});

describe("work after the last iteration", () => {
  const late = (bounds: FitBounds) => () => new FitLimits(bounds).throwIfLate();

  it("goes on beyond the processor's time, which the fit has used up, and not beyond wall time", () => {
    let worked = 0;
    const limits = new FitLimits(
      { processorSeconds: 0, seconds: 60 },
      performance.now() - 1000,
      () => {
        worked += 1000;
        return worked;
      },
    );
    expect(() => limits.throwIfOver()).toThrow(FitStoppedError);
    expect(() => limits.throwIfLate()).not.toThrow();
    expect(late({ seconds: -1 })).toThrow(FitStoppedError);
  });

  it("ends where it is asked to", () => {
    expect(late({ stop: Int32Array.of(0) })).not.toThrow();
    expect(late({ stop: Int32Array.of(1) })).toThrow(FitStoppedError);
  });
});
