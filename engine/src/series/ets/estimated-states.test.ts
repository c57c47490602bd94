import { describe, expect, it } from "vitest";
import { CounterRandom, deriveKey } from "../../compute/random.ts";
import { scaled, scaleOf } from "../standardise.ts";
import { readFigures } from "../testing/figures.ts";
import { writeEstimatedStates } from "./estimated-states.ts";
import { type EtsForm, formName } from "./ets-form.ts";
import { fitEts, loadEts } from "./ets-model.ts";
import { ALPHA, forecastEts, GAMMA, lossOf, PHI, SEASON, SLOPE, Tape } from "./recursion.ts";

interface StateFigures {
  readonly series: readonly {
    readonly name: string;
    readonly season: number;
    readonly values: readonly number[];
  }[];
  readonly figures: readonly {
    readonly name: string;
    readonly season: number;
    readonly form: EtsForm;
    readonly smoothing: readonly [number, number, number, number];
    readonly logLikelihood: number;
    readonly forecasts: readonly number[];
    readonly squares?: number;
  }[];
}

const { series, figures } = readFigures<StateFigures>("ets_states_figures");
const NONE = { slope: 0, season: 0, size: 0 };

describe("states at given smoothing parameters", () => {
  const named = figures.map((figure) => ({ ...figure, of: formName(figure.form) }));

  it.each(named)("$name, $of, $smoothing: as statsmodels and numpy find them", (figure) => {
    const { form, smoothing, season } = figure;
    const given = Float64Array.from(series.find(({ name }) => name === figure.name)?.values ?? []);
    const n = given.length;
    const scale = scaleOf(given);
    const values = scaled(given, scale);
    const tape = new Tape(n, season);
    const m = form.season === "N" ? 0 : season;
    const parameters = new Float64Array(SEASON + m);
    parameters.set(smoothing);
    parameters[SLOPE] = form.trend === "M" ? 1 : 0;
    parameters.fill(form.season === "M" ? 1 : 0, SEASON);
    expect(writeEstimatedStates(values, form, season, parameters, tape, 0, NONE)).toBe(true);
    const loss = lossOf(values, form, tape) + 2 * Math.log(scale);
    const logLikelihood = (-n / 2) * (loss + 1 + Math.log(2 * Math.PI));
    if (figure.squares !== undefined) {
      expect((n * Math.exp(loss)) / figure.squares).toBeCloseTo(1, 6);
    }
    expect(Math.abs(logLikelihood - figure.logLikelihood)).toBeLessThan(1e-4);
    const horizon = figure.forecasts.length;
    forecastEts(form, parameters[PHI], season, n, tape, horizon).forEach((value, h) => {
      expect((value * scale) / figure.forecasts[h]).toBeCloseTo(1, 3);
    });
  });
});

const PATTERN = [0, 12, 20, 8, -6, -22, -12];
function still(steps: number): Float64Array {
  const random = new CounterRandom(deriveKey(4, "still"));
  return Float64Array.from(
    { length: steps },
    (_, t) => 130 + PATTERN[t % PATTERN.length] + 3 * random.nextGaussian(),
  );
}

const form = (error: "A" | "M", season: "A" | "M"): EtsForm => ({
  ...{ error, trend: "N", damped: false, season },
});

describe.each([form("A", "A"), form("M", "A"), form("M", "M")])(
  "hardly any smoothing, %j",
  (of) => {
    const history = still(120);
    const { saved } = fitEts(history, { seasonLength: 7, forms: [of] });
    const parameters = saved.forms[0].parameters.map((value, i) =>
      i === ALPHA || i === GAMMA ? 1e-4 : value,
    );
    const model = loadEts({ ...saved, forms: [{ ...saved.forms[0], parameters }] });
    const forecasts = model.forecast(history, 14);
    const furthest = (other: Float64Array): number =>
      Math.max(...other.map((value, h) => Math.abs(value - forecasts[h])));

    it("goes on from any part of the history, wherever that begins", () => {
      const changed = history.slice();
      changed[0] += 1;
      expect(furthest(model.forecast(changed, 14))).toBeLessThan(1);
      for (const from of [40, 47, 90]) {
        const part = history.subarray(from);
        expect(furthest(model.forecast(part, 14, from))).toBeLessThan(4);
        // The season itself tells where it begins.
        expect(furthest(model.forecast(part, 14))).toBeLessThan(4);
      }
    });

    it("knows its season where a history holds less than one", () => {
      for (const steps of [1, 3, 6]) {
        const from = history.length - steps;
        expect(furthest(model.forecast(history.subarray(from), 14, from))).toBeLessThan(8);
      }
      const low = history.map((value) => value - 70);
      const from = low.length - 5;
      const answer = model.forecast(low.subarray(from), 14, from);
      expect(furthest(answer.map((value) => value + 70))).toBeLessThan(8);
    });

    it("takes a history before the fit for what it is", () => {
      const before = still(150).subarray(0, 22);
      expect([...model.forecast(before, 7, -21)].every(Number.isFinite)).toBe(true);
      expect(model.forecast(history.subarray(14), 7, 14)).toEqual(
        model.forecast(history.subarray(14), 7, -7 * 5),
      );
    });
  },
);

it("does not take a constant beginning that comes again for the fit's own", () => {
  const steps = Float64Array.from({ length: 60 }, (_, t) =>
    t % 12 < 8 ? 0 : 10 + (t % 12) + Math.sin(t * t),
  );
  const model = fitEts(steps, { seasonLength: 12, choice: "best" });
  // From the sixth step of the season on, after which eight more are 0.
  const quiet = Float64Array.of(...new Array<number>(5).fill(0), ...steps.subarray(12));
  const told = model.forecast(quiet, 12, 7);
  model.forecast(steps, 12).forEach((value, h) => {
    expect(Math.abs(told[h] - value)).toBeLessThan(6);
  });
});
