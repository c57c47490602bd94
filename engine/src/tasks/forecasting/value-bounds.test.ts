import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { boundsOfSeries, givenBounds, requireWithin } from "./value-bounds.ts";

const NONE = { lower: undefined, upper: undefined, members: [] };
const [BELOW, ABOVE] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

function frameOf(series: readonly (readonly number[])[], season = 1) {
  const offsets = new Uint32Array(series.length + 1);
  for (const [s, { length }] of series.entries()) offsets[s + 1] = offsets[s] + length;
  return {
    kind: "series" as const,
    ...{ column: "y", names: series.map((_, s) => `s${s}`), ids: Int32Array.from(series.keys()) },
    ...{ offsets, target: Float64Array.from(series.flat()), horizon: 3, gap: 0 },
    seasons: season > 1 ? [season] : [],
  };
}

function boundsOf(series: readonly (readonly number[])[], season = 1, request: object = {}) {
  const frame = frameOf(series, season);
  const { least, most } = boundsOfSeries(frame, frame.offsets.subarray(1), { ...NONE, ...request });
  return { least: [...least], most: [...most] };
}

const random = (name: string) => new CounterRandom(deriveKey(5, name));
const steps = <T>(count: number, of: (t: number) => T): T[] =>
  Array.from({ length: count }, (_, t) => of(t));

/** Each a series, by the numbers that it draws. */
const NEVER_NEGATIVE: Record<string, (draw: CounterRandom) => readonly number[]> = {
  "rare demand": (draw) =>
    steps(120, () => (draw.nextFloat() < 0.2 ? 1 + (draw.nextFloat() < 0.5 ? 1 : 0) : 0)),
  "rentals by the hour": (draw) =>
    steps(24 * 14, (t) =>
      Math.round(60 * draw.nextFloat() * (1 - Math.cos((2 * Math.PI * (t - 3)) / 24))),
    ),
  "power of the sun": (draw) =>
    steps(
      24 * 14,
      (t) => Math.max(0, Math.sin((Math.PI * ((t % 24) - 6)) / 12)) * (0.2 + draw.nextFloat()),
    ),
  rain: (draw) => steps(100, () => (draw.nextFloat() < 0.4 ? -5 * Math.log(draw.nextFloat()) : 0)),
  wind: (draw) => steps(500, () => Math.hypot(draw.nextGaussian(), draw.nextGaussian())),
};

/** Each a series that will be negative, until it is: nothing but luck has kept it above 0. */
const MAY_BE_NEGATIVE: Record<string, (draw: CounterRandom) => readonly number[]> = {
  "temperatures from spring on": (draw) => {
    let noise = 0;
    return steps(200, (t) => {
      noise = 0.7 * noise + 2.5 * draw.nextGaussian();
      return Math.round(10 * (14 - 11 * Math.cos((2 * Math.PI * (t + 75)) / 365) + noise)) / 10;
    });
  },
  "what is earned, by the month": (draw) => {
    let sum = 4;
    return steps(120, (t) => (sum += (t < 70 ? 0.9 : -1) + draw.nextGaussian()));
  },
  "a random walk": (draw) => {
    let sum = 8;
    return steps(300, () => (sum += draw.nextGaussian()));
  },
  returns: (draw) => steps(40, () => 1 + draw.nextGaussian()),
};

describe("bounds that values tell", () => {
  it.each(Object.keys(NEVER_NEGATIVE))("hold %s at 0", (name) => {
    for (let s = 0; s < 20; s++) {
      const values = NEVER_NEGATIVE[name](random(`${name} ${s}`));
      const season = values.length % 24 === 0 && values.length > 200 ? 24 : 1;
      expect(boundsOf([values], season)).toEqual({ least: [0, 0], most: [ABOVE, ABOVE] });
    }
  });

  it.each(Object.keys(MAY_BE_NEGATIVE))("leave %s alone, up to where it is negative", (name) => {
    let held = 0;
    const count = 100;
    for (let s = 0; s < count; s++) {
      const values = MAY_BE_NEGATIVE[name](random(`${name} ${s}`));
      const first = values.findIndex((value) => value < 0);
      const before = values.slice(0, first < 0 ? values.length : first);
      if (before.length > 0 && boundsOf([before]).least[0] === 0) held++;
      if (first >= 0) expect(boundsOf([values]).least[0]).toBe(BELOW);
    }
    // By luck one in a hundred would, if changes were known and not estimated.
    expect(held / count).toBeLessThanOrEqual(0.03);
  });

  it("hold what ends at 0 exactly, and not what begins there", () => {
    const draw = random("ending");
    const ending = steps(40, (t) => Math.max(0, 80 - 2 * t + 6 * draw.nextGaussian()));
    ending.push(0, 0);
    expect(boundsOf([ending]).least[0]).toBe(0);
    expect(boundsOf([ending.map((y) => y + 0.5)]).least[0]).toBe(BELOW);
    expect(boundsOf([ending.toReversed()]).least[0]).toBe(BELOW);
    expect(boundsOf([ending.map((y) => (y > 0 && y < 60 ? 40 : y))]).least[0]).toBe(BELOW);
  });

  it("go by all series where none is beyond: of one that is new too", () => {
    const draw = random("panel");
    const sold = steps(4, (s) =>
      steps(60, () => Math.round(10 ** s * (1 + 20 * draw.nextFloat() ** 3))),
    );
    const rare = NEVER_NEGATIVE["rare demand"](random("rare"));
    const far = steps(60, () => 500 + draw.nextFloat());
    expect(boundsOf([far]).least).toEqual([BELOW, BELOW]);
    expect(boundsOf([far, ...sold, rare]).least).toEqual(steps(7, () => 0));
    const returned = [...steps(50, () => 3 + draw.nextFloat()), -2];
    const { least } = boundsOf([far, rare, returned]);
    expect(least).toEqual([BELOW, 0, BELOW, BELOW]);
  });

  it("hold zeros alone on the side of most of the others", () => {
    const zeros = steps(60, () => 0);
    const draw = random("earned");
    const profits = steps(60, () => -3 + draw.nextGaussian());
    const sold = [1, 2].map((s) => NEVER_NEGATIVE["rare demand"](random(`beside zeros ${s}`)));
    const beside = (...others: (readonly number[])[]) => {
      const { least, most } = boundsOf([zeros, ...others]);
      return [least[0], most[0]];
    };
    expect(beside(profits, ...sold)).toEqual([0, ABOVE]);
    expect(beside(profits, ...sold.map((values) => values.map((y) => -y)))).toEqual([BELOW, 0]);
    expect(beside(profits, sold[0])).toEqual([BELOW, ABOVE]);
    expect(beside(zeros)).toEqual([BELOW, ABOVE]);
  });

  it("are below for what is never positive, and 100 or 1 for what is often there", () => {
    const rare = NEVER_NEGATIVE["rare demand"](random("lost"));
    expect(boundsOf([rare.map((y) => -y)])).toEqual({ least: [BELOW, BELOW], most: [0, 0] });
    const draw = random("shares");
    const share = steps(
      150,
      () => Math.round(1000 * Math.min(1, 0.8 + 0.4 * draw.nextFloat())) / 1000,
    );
    expect(boundsOf([share]).most).toEqual([1, 1]);
    expect(boundsOf([share.map((y) => 100 * y)]).most).toEqual([100, 100]);
    expect(boundsOf([share.map((y) => 10 * y)]).most).toEqual([ABOVE, ABOVE]);
    expect(boundsOf([[...share, 1.001]]).most).toEqual([ABOVE, ABOVE]);
    expect(boundsOf([share.map((y) => (y === 1 ? 0.999 : y))]).most).toEqual([ABOVE, ABOVE]);
    // Whether something was sold: two may be another day.
    expect(boundsOf([rare.map((y) => Math.min(1, y))]).most).toEqual([ABOVE, ABOVE]);
  });

  it("of sums are those of what they sum", () => {
    const [a, b] = [0, 1].map((s) => NEVER_NEGATIVE["rare demand"](random(`summed ${s}`)));
    const far = a.map((y, t) => 900 + y + b[t]);
    const frame = [a, b, a.map((y, t) => y + b[t] + 900 - 900)];
    const members = [[0, 1]];
    expect(boundsOf(frame, 1, { members }).least).toEqual([0, 0, 0, 0]);
    expect(boundsOf([a, b, far], 1, { members, lower: -2, upper: 500 })).toEqual({
      least: [-2, -2, -4, -2],
      most: [500, 500, 1000, 500],
    });
  });

  it("hold for whatever is larger or smaller by a factor, and with gaps", () => {
    const kinds = [...Object.values(NEVER_NEGATIVE), ...Object.values(MAY_BE_NEGATIVE)];
    fc.assert(
      fc.property(
        fc.nat(kinds.length - 1),
        fc.nat(1e6),
        fc.integer({ min: -8, max: 8 }),
        (k, seed, power) => {
          // Not whole, so that the size says nothing.
          const values = kinds[k](random(`${seed}`)).map((y) => y / 7);
          const { least, most } = boundsOf([values]);
          expect(boundsOf([values.map((y) => y * 2 ** power)]).least).toEqual(least);
          expect(boundsOf([values.map((y) => -y)]).most).toEqual(least.map((y) => -y + 0));
          expect(
            most.every((bound) => bound === ABOVE || bound === 1 || bound === 100 || bound === 0),
          ).toBe(true);
          if (least[0] === 0) expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
          const gaps = values.map((y, t) => (t % 50 === 7 ? Number.NaN : y));
          if (boundsOf([gaps]).least[0] === 0) expect(gaps.every((y) => !(y < 0))).toBe(true);
        },
      ),
    );
  });
});

describe("bounds that are given", () => {
  const values = [[3, 4, 5, 3, 4, 5, 2]];

  it("are taken as they are, and `none` takes away what values tell", () => {
    expect(boundsOf(values, 1, { lower: 1.5, upper: 9 })).toEqual({
      least: [1.5, 1.5],
      most: [9, 9],
    });
    const rare = NEVER_NEGATIVE["rare demand"](random("none"));
    expect(boundsOf([rare], 1, { lower: "none" }).least).toEqual([BELOW, BELOW]);
  });

  it("are refused where values lie beyond them, or they beyond each other", () => {
    const frame = frameOf(values);
    const refuse = (task: Readonly<Record<string, unknown>>): void => {
      const given = givenBounds(task, []);
      requireWithin(frame, boundsOfSeries(frame, frame.offsets.subarray(1), given), given);
    };
    expect(() => refuse({ lowerBound: 2, upperBound: 5 })).not.toThrow();
    expect(() => refuse({ lowerBound: 2.5 })).toThrow(
      'The series "s0" has the value 2 in "y", below its `lowerBound` 2.5.',
    );
    expect(() => refuse({ upperBound: 4 })).toThrow("the value 5");
    expect(() => refuse({ lowerBound: 4, upperBound: 3 })).toThrow(
      "The `upperBound` 3 is below the `lowerBound` 4.",
    );
  });
});
