import { describe, expect, test } from "vitest";
import { overrideSpace, parameterSchema, SearchSpaceError } from "./index.ts";
import { searchSpaceSchema } from "./parameter-schema.ts";
import type { Parameter, SearchSpace } from "./space.ts";
import { validateParameters } from "./validate-parameters.ts";
import { validateSpace } from "./validate-space.ts";

const legal: SearchSpace = {
  learning_rate: { type: "float", low: 1e-6, high: 1 },
  leaves: { type: "int", low: 2, high: 4096 },
  growth: { type: "categorical", choices: ["leaf", "depth", "oblivious"] },
  depth: {
    type: "int",
    low: 1,
    high: 20,
    when: { parameter: "growth", values: ["depth", "oblivious"] },
  },
  grid: { type: "int", low: 1, high: 5, when: { parameter: "depth", values: [19, 20] } },
};
const defaults: SearchSpace = {
  learning_rate: { type: "float", low: 5e-3, high: 0.1, log: true },
  growth: { type: "categorical", choices: ["leaf", "depth"] },
  depth: { type: "int", low: 2, high: 8, when: { parameter: "growth", values: ["depth"] } },
};

describe("a space that makes no sense is refused by the parameter's name", () => {
  const float = (rest: object): Parameter =>
    parameterSchema.parse({ type: "float", low: 0, high: 1, ...rest });
  const refused: [string, SearchSpace, RegExp][] = [
    ["low above high", { x: float({ low: 2 }) }, /"x": its low 2 is above its high 1/],
    ["log from 0", { x: float({ log: true }) }, /log scale needs a low above 0, not 0/],
    ["log with step", { x: float({ log: true, low: 0.1, step: 0.1 }) }, /cannot be combined/],
    ["log int from 0", { x: { type: "int", low: 0, high: 9, log: true } }, /at least 1, not 0/],
    ["half an integer", { x: { type: "int", low: 0.5, high: 9 } }, /whole numbers, not 0.5 and 9/],
    ["half a step", { x: { type: "int", low: 0, high: 9, step: 0.5 } }, /whole number, not 0.5/],
    ["no step", { x: { type: "float", low: 0, high: 9, step: 0 } }, /above 0, not 0/],
    [
      "endless",
      { x: { type: "float", low: 0, high: Number.POSITIVE_INFINITY } },
      /finite.*Infinity/,
    ],
    ["no choice", { x: { type: "categorical", choices: [] } }, /"x": it has no choices/],
    [
      "a choice twice",
      { x: { type: "categorical", choices: ["a", 1, "a"] } },
      /"a" is listed twice/,
    ],
    [
      "an orphan",
      { x: float({ when: { parameter: "y", values: [1] } }) },
      /"x" depends on "y".*not in/,
    ],
    [
      "a circle",
      {
        x: float({ when: { parameter: "y", values: [1] } }),
        y: float({ when: { parameter: "x", values: [1] } }),
      },
      /depends on itself/,
    ],
    [
      "a condition that cannot hold",
      {
        x: float({ when: { parameter: "y", values: ["c"] } }),
        y: { type: "categorical", choices: ["a", "b"] },
      },
      /"x".*"y" is "c", which is not one of "a", "b"/,
    ],
  ];

  test.each(refused)("%s", (_name, space, message) => {
    expect(() => validateSpace(space)).toThrow(SearchSpaceError);
    expect(() => validateSpace(space)).toThrow(message);
  });

  test("one that does is not", () => {
    validateSpace(legal);
    validateSpace(defaults);
    validateSpace({ x: float({ low: 1, high: 1 }) });
  });
});

describe("parameter values", () => {
  test("legal ones pass, also off the grid of a search", () => {
    validateParameters(legal, { learning_rate: 0.3, leaves: 31, growth: "leaf" });
    validateParameters({ x: { type: "float", low: 0, high: 1, step: 0.5 } }, { x: 0.3 });
  });

  test.each([
    [{ leaf: 3 }, /Unknown parameter "leaf".*learning_rate, leaves, growth/],
    [{ leaves: 1 }, /"leaves": 1 is not a whole number from 2 to 4096/],
    [{ leaves: 2.5 }, /"leaves": 2.5 is not a whole number/],
    [{ learning_rate: "0.1" }, /"learning_rate": "0.1" is not a number from 0.000001 to 1/],
    [{ learning_rate: Number.NaN }, /"learning_rate"/],
    [{ growth: "wild" }, /"growth": "wild" is not one of "leaf", "depth", "oblivious"/],
    [{ toString: 1 }, /Unknown parameter "toString"/],
  ])("%j is refused with the legal range", (parameters, message) => {
    expect(() => validateParameters(legal, parameters)).toThrow(message);
  });
});

describe("what a request changes about a space", () => {
  test("nothing asked, nothing changed", () => {
    expect(overrideSpace(defaults, legal, {})).toEqual({ space: defaults, fixed: {} });
  });

  test("a searched parameter replaces the default's and keeps its condition", () => {
    const { space } = overrideSpace(defaults, legal, {
      search: {
        depth: { type: "int", low: 3, high: 4 },
        leaves: { type: "int", low: 8, high: 64, log: true },
      },
    });
    expect(space["depth"]).toEqual({ ...defaults["depth"], low: 3, high: 4 });
    expect(space["leaves"]).toEqual({ type: "int", low: 8, high: 64, log: true });
    expect(space["learning_rate"]).toEqual(defaults["learning_rate"]);
  });

  test("a list of choices may stand for a range", () => {
    const { space } = overrideSpace(defaults, legal, {
      search: { leaves: { type: "categorical", choices: [15, 31, 63] } },
    });
    expect(space["leaves"]).toEqual({ type: "categorical", choices: [15, 31, 63] });
  });

  test("a fixed parameter leaves the search, and conditions on it are settled", () => {
    const depth = overrideSpace(defaults, legal, { fixed: { growth: "depth" } });
    expect(depth.fixed).toEqual({ growth: "depth" });
    expect(Object.keys(depth.space)).toEqual(["learning_rate", "depth"]);
    expect(depth.space["depth"].when).toBeUndefined();
    const leaf = overrideSpace(defaults, legal, { fixed: { growth: "leaf" } });
    expect(Object.keys(leaf.space)).toEqual(["learning_rate"]);
  });

  test("conditions shrink with the choices they name, along the whole chain", () => {
    const wide: SearchSpace = {
      ...defaults,
      growth: legal["growth"],
      depth: legal["depth"],
      grid: legal["grid"],
    };
    const { space } = overrideSpace(wide, legal, {
      search: { growth: { type: "categorical", choices: ["leaf", "oblivious"] } },
    });
    expect(space["depth"].when?.values).toEqual(["oblivious"]);
    expect(space["grid"].when?.values).toEqual([19, 20]);
    const gone = overrideSpace(wide, legal, {
      search: { growth: { type: "categorical", choices: ["leaf"] } },
    });
    expect(Object.keys(gone.space)).toEqual(["learning_rate", "growth"]);
  });

  test.each([
    [{ search: { eta: { type: "float", low: 0, high: 1 } } }, /Unknown parameter "eta"/],
    [
      { search: { learning_rate: { type: "float", low: 0, high: 2 } } },
      /"learning_rate": 0 is not a number from 0.000001 to 1/,
    ],
    [
      { search: { leaves: { type: "categorical", choices: [31, "many"] } } },
      /"leaves": "many" is not/,
    ],
    [
      { search: { leaves: { type: "float", low: 4, high: 64 } } },
      /"leaves": a range of type "float"/,
    ],
    [{ search: { growth: { type: "int", low: 0, high: 1 } } }, /"growth": 0 is not one of/],
    [{ search: { leaves: { type: "int", low: 64, high: 8 } } }, /"leaves": its low 64 is above/],
    [
      { search: { leaves: { type: "int", low: 8, high: 64 } }, fixed: { leaves: 31 } },
      /"leaves" is both searched and fixed/,
    ],
    [{ fixed: { leaves: 1 } }, /"leaves": 1 is not a whole number from 2 to 4096/],
    [
      { search: { grid: { type: "int", low: 1, high: 2 } } },
      /"grid" is searched, but exists only when "depth" is 19 or 20/,
    ],
  ] as const)("%j is refused", (override, message) => {
    expect(() => overrideSpace(defaults, legal, override)).toThrow(SearchSpaceError);
    expect(() => overrideSpace(defaults, legal, override)).toThrow(message);
  });
});

test("the schema takes the shape of a space and nothing else", () => {
  expect(searchSpaceSchema.parse(legal)).toEqual(legal);
  for (const wrong of [
    { type: "float", low: 0 },
    { type: "float", low: "0", high: 1 },
    { type: "int", low: 0.5, high: 1 },
    { type: "categorical", choices: [] },
    { type: "categorical", choices: [{}] },
    { type: "normal", mean: 0 },
    { type: "float", low: 0, high: 1, base: 10 },
  ]) {
    expect(searchSpaceSchema.safeParse({ x: wrong }).success).toBe(false);
  }
});
