import { describe, expect, test } from "vitest";
import { deriveKey } from "../compute/random.ts";
import { fitIntoSpace } from "./fit-into-space.ts";
import { START_UPS, suggestNext, tpeSampler } from "./index.ts";
import type { Observation, Sampler } from "./sampler.ts";
import { sobolPoint } from "./sobol/sobol-point.ts";
import type { Parameters, SearchSpace } from "./space.ts";
import { distinctPoints } from "./start-up.ts";

const space: SearchSpace = {
  x: { type: "float", low: 0, high: 1 },
  n: { type: "int", low: 1, high: 64, log: true },
};
const sequence = deriveKey(1, "sobol");
const first: Parameters[] = [
  { x: 0.5, n: 8 },
  { x: 0.25, n: 2 },
];

/** Says that it was asked. */
const marker: Sampler = {
  kind: "marker",
  startupTrials: 5,
  suggest: () => ({ x: -1, n: -1 }),
};

function suggestions(kind: (typeof START_UPS)[number], count: number, batch = 1): Parameters[] {
  const history: Observation[] = [];
  for (let index = 0; index < count; index += batch) {
    const pending: Parameters[] = [];
    for (let place = 0; place < batch; place++) {
      pending.push(
        suggestNext(
          { kind, first, key: sequence },
          marker,
          { space, history, pending: [...pending] },
          index + place,
          deriveKey(2, "suggest", index + place),
        ),
      );
    }
    history.push(...pending.map((parameters) => ({ parameters, losses: [0] })));
  }
  return history.map(({ parameters }) => parameters);
}

describe("suggestNext", () => {
  test.each(START_UPS)("%s: what was given comes first", (kind) => {
    expect(suggestions(kind, 2)).toEqual(first);
  });

  test("then Sobol points, until the strategy has what it wants", () => {
    for (const kind of ["portfolio", "sobol"] as const) {
      expect(suggestions(kind, 7)).toEqual([
        ...first,
        ...[0, 1, 2].map((index) => sobolPoint(space, index, sequence)),
        marker.suggest({ space, history: [], pending: [] }, sequence),
        marker.suggest({ space, history: [], pending: [] }, sequence),
      ]);
    }
  });

  test("random: the strategy itself at once", () => {
    expect(suggestions("random", 3)[2]).toEqual({ x: -1, n: -1 });
  });

  test("a batch that began before the strategy had enough goes on along the sequence", () => {
    expect(suggestions("sobol", 8, 4).slice(2)).toEqual(
      [0, 1, 2, 3, 4, 5].map((index) => sobolPoint(space, index, sequence)),
    );
  });

  test("a Sobol point that was tried is left to the strategy, which finds another", () => {
    const finite: SearchSpace = { x: { type: "categorical", choices: [1, 2, 3] } };
    const history: Observation[] = [];
    for (let index = 0; index < 3; index++) {
      const parameters = suggestNext(
        { kind: "sobol", first: [{ x: 1 }], key: sequence },
        tpeSampler(),
        { space: finite, history, pending: [] },
        index,
        deriveKey(3, "suggest", index),
      );
      history.push({ parameters, losses: [0] });
    }
    expect(new Set(history.map(({ parameters }) => parameters["x"])).size).toBe(3);
  });
});

describe("fitIntoSpace", () => {
  const narrow: SearchSpace = {
    rate: { type: "float", low: 0.2, high: 0.3 },
    leaves: { type: "int", low: 4, high: 10, step: 3 },
    kind: { type: "categorical", choices: ["b", "c"] },
    depth: { type: "int", low: 1, high: 9, when: { parameter: "kind", values: ["c"] } },
    share: { type: "float", low: 0.01, high: 1, log: true },
  };

  test("moves values to the nearest legal ones and fills in middles", () => {
    const point = fitIntoSpace(narrow, { rate: 9, leaves: 8, kind: "a", depth: 3, other: 1 });
    expect(point["share"]).toBeCloseTo(0.1, 12);
    expect({ ...point, share: 0.1 }).toEqual({ rate: 0.3, leaves: 7, kind: "b", share: 0.1 });
  });

  test("keeps parameters whose condition holds, in the order of the space", () => {
    const point = fitIntoSpace(narrow, { share: 1, depth: 3, kind: "c" });
    expect(Object.keys(point)).toEqual(["rate", "leaves", "kind", "depth", "share"]);
    expect(point["depth"]).toBe(3);
  });
});

test("distinctPoints keeps the first of equal points", () => {
  expect(distinctPoints([...first, { x: 0.5, n: 8 }])).toEqual(first);
});
