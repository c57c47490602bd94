/** The contract of every search strategy, run over all of them. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CounterRandom, deriveKey } from "../compute/random.ts";
import { isActive } from "./activation.ts";
import { valueCount } from "./domain.ts";
import { SAMPLER_NAMES, samplerByName, tpeSampler } from "./index.ts";
import type { Observation, Sampler } from "./sampler.ts";
import type { Parameter, Parameters, SearchSpace } from "./space.ts";
import { validateParameters } from "./validate-parameters.ts";

const samplers: [string, () => Sampler][] = [
  ...SAMPLER_NAMES.map((name): [string, () => Sampler] => [name, () => samplerByName(name)]),
  ["univariate tpe", () => tpeSampler({ multivariate: false })],
];

const space: SearchSpace = {
  rate: { type: "float", low: 1e-3, high: 1, log: true },
  leaves: { type: "int", low: 2, high: 200, log: true },
  fraction: { type: "float", low: 0.4, high: 1, step: 0.05 },
  constant: { type: "int", low: 3, high: 3 },
  subsample: {
    type: "float",
    low: 0.5,
    high: 1,
    when: { parameter: "booster", values: ["a", "b"] },
  },
  booster: { type: "categorical", choices: ["a", "b", "c"] },
  depth: { type: "int", low: 1, high: 9, when: { parameter: "booster", values: ["c"] } },
  deep: {
    type: "categorical",
    choices: [true, false, null],
    when: { parameter: "depth", values: [8, 9] },
  },
};

/** A search of `steps` batches; the loss rewards a slow rate and booster c. Every 7th trial fails. */
function search(sampler: Sampler, of: SearchSpace, steps: number, batch: number, seed: number) {
  const history: Observation[] = [];
  for (let step = 0; step < steps; step++) {
    const pending: Parameters[] = [];
    for (let place = 0; place < batch; place++) {
      const key = deriveKey(seed, "suggest", step, place);
      pending.push(
        sampler.suggest({ space: of, history: [...history], pending: [...pending] }, key),
      );
    }
    for (const parameters of pending) {
      const { rate, booster } = parameters;
      const loss =
        (typeof rate === "number" ? Math.abs(Math.log(rate / 0.1)) : 0) + (booster === "c" ? 0 : 1);
      history.push({ parameters, losses: history.length % 7 === 6 ? null : [loss] });
    }
  }
  return history;
}

function expectInSpace(of: SearchSpace, point: Parameters): void {
  validateParameters(of, point);
  for (const [name, parameter] of Object.entries(of)) {
    expect(name in point).toBe(isActive(parameter, point));
  }
}

describe.each(samplers)("%s", (_name, make) => {
  test("suggests exactly the parameters that exist, with legal values", () => {
    for (const { parameters } of search(make(), space, 20, 4, 1)) {
      expectInSpace(space, parameters);
      // Dust of binary fractions would show in what users read.
      expect(String(parameters["fraction"]).length).toBeLessThan(5);
    }
  });

  test("equal states and keys give equal suggestions, whatever was asked before", () => {
    const sampler = make();
    const history = search(sampler, space, 10, 4, 2);
    expect(search(make(), space, 10, 4, 2)).toEqual(history);
    const state = { space, history, pending: [history[0].parameters] };
    const key = deriveKey(5, "again");
    const first = sampler.suggest(state, key);
    sampler.suggest(
      { space: { x: { type: "int", low: 0, high: 9 } }, history: [], pending: [] },
      key,
    );
    sampler.suggest({ ...state, history: history.slice(0, 15) }, deriveKey(6, "other"));
    expect(sampler.suggest(state, key)).toEqual(first);
    expect(make().suggest(structuredClone(state), key)).toEqual(first);
    expect(sampler.suggest(state, deriveKey(6, "again"))).not.toEqual(first);
  });

  test("a space that was changed in place is seen as it is", () => {
    const sampler = make();
    const changing: Record<string, Parameter> = { x: { type: "int", low: 0, high: 1000 } };
    const history = search(sampler, changing, 4, 4, 3);
    changing["x"] = { type: "float", low: 5000, high: 5001 };
    const suggested = sampler.suggest({ space: changing, history, pending: [] }, deriveKey(1, "x"));
    expectInSpace(changing, suggested);
  });

  test("does not write to the state", () => {
    const history = search(make(), space, 10, 4, 4);
    const state = { space, history, pending: [history[1].parameters] };
    const before = structuredClone(state);
    make().suggest(state, deriveKey(1, "x"));
    expect(state).toEqual(before);
  });

  test("tries every point of a finite space once before any twice", () => {
    const finite: SearchSpace = {
      size: { type: "int", low: 1, high: 4 },
      kind: { type: "categorical", choices: ["a", "b"] },
      extra: {
        type: "float",
        low: 0,
        high: 1,
        step: 0.5,
        when: { parameter: "kind", values: ["b"] },
      },
    };
    const points = 4 + 4 * 3;
    for (const [steps, batch] of [
      [points, 1],
      [points / 4, 4],
      [1, points],
    ]) {
      const tried = search(make(), finite, steps, batch, 5).map(({ parameters }) =>
        JSON.stringify(Object.entries(parameters).sort()),
      );
      expect(new Set(tried).size).toBe(points);
    }
  });

  test("goes on when every point has been tried", () => {
    const tiny: SearchSpace = { x: { type: "categorical", choices: [1, 2] } };
    for (const { parameters } of search(make(), tiny, 20, 2, 6)) expectInSpace(tiny, parameters);
    const nothing = make().suggest({ space: {}, history: [], pending: [] }, deriveKey(1, "x"));
    expect(nothing).toEqual({});
  });

  test("bears a history that holds failures, strangers and infinite losses alone", () => {
    const strange: (number | null)[] = [null, Number.NaN, Number.POSITIVE_INFINITY, 1];
    for (const loss of strange) {
      const losses = loss === null ? null : [loss];
      const history = Array.from(
        { length: 20 },
        (_, i): Observation => ({
          parameters: i % 2 ? { rate: 50, booster: "z", other: 1 } : { rate: 0.1, leaves: "many" },
          losses,
        }),
      );
      expectInSpace(space, make().suggest({ space, history, pending: [] }, deriveKey(1, "x")));
    }
  });

  test("bears several objectives, some of them failed or infinite", () => {
    const random = new CounterRandom(deriveKey(8, "losses"));
    const history = search(make(), space, 20, 4, 8).map(({ parameters }, i): Observation => {
      const losses = [random.nextFloat(), random.nextInteger(3), -random.nextFloat()];
      if (i % 9 === 4) losses[i % 3] = [Number.NaN, Number.POSITIVE_INFINITY, 1e300][i % 3];
      return { parameters, losses: i % 7 === 6 ? null : losses };
    });
    for (let i = 0; i < 20; i++) {
      const state = { space, history: history.slice(0, 4 * i), pending: [] };
      const suggested = make().suggest(state, deriveKey(i, "x"));
      expectInSpace(space, suggested);
      expect(make().suggest(structuredClone(state), deriveKey(i, "x"))).toEqual(suggested);
    }
  });

  test("any valid space is searched within its bounds", () => {
    const parameter: fc.Arbitrary<Parameter> = fc.oneof(
      fc
        .record({
          low: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
          size: fc.double({ min: 0, max: 1e6, noNaN: true }),
        })
        .map(({ low, size }) => ({ type: "float" as const, low, high: low + size })),
      fc
        .record({ low: fc.integer({ min: -1000, max: 1000 }), steps: fc.nat(50), over: fc.nat(4) })
        .map(({ low, steps, over }) => ({
          type: "int" as const,
          low,
          high: low + 5 * steps + over,
          step: 5,
        })),
      fc
        .record({ low: fc.integer({ min: 1, max: 1000 }), size: fc.nat(1e9) })
        .map(({ low, size }) => ({ type: "int" as const, low, high: low + size, log: true })),
      fc
        .record({
          low: fc.double({ min: 1e-9, max: 1, noNaN: true }),
          factor: fc.double({ min: 1, max: 1e9, noNaN: true }),
        })
        .map(({ low, factor }) => ({ type: "float" as const, low, high: low * factor, log: true })),
      fc
        .uniqueArray(fc.string(), { minLength: 1, maxLength: 5 })
        .map((choices) => ({ type: "categorical" as const, choices })),
    );
    fc.assert(
      fc.property(
        fc.array(parameter, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        (parameters, seed) => {
          const of = Object.fromEntries(parameters.map((each, i) => [`p${i}`, each]));
          const sampler = make();
          for (const { parameters: point } of search(sampler, of, 8, 2, seed)) {
            expectInSpace(of, point);
            for (const [name, each] of Object.entries(of)) {
              const value = point[name];
              if (each.type === "int" && each.step !== undefined && typeof value === "number") {
                expect((value - each.low) % each.step).toBe(0);
              }
              if (valueCount(each) === 1 && each.type !== "categorical")
                expect(value).toBe(each.low);
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

test("an unknown strategy is answered with the known ones", () => {
  expect(() => samplerByName("grid")).toThrow("Known strategies: random, tpe");
  expect(() => samplerByName("constructor")).toThrow(/"constructor".*random, tpe/);
});
