import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scaled, scaleOf } from "../standardise.ts";
import { readFigures } from "../testing/figures.ts";
import { describeSeriesModel } from "../testing/series-contract.ts";
import { admissibleForms, type EtsForm, formName, parameterCount } from "./ets-form.ts";
import { ETS_CHOICES, fitEts, loadEts } from "./ets-model.ts";
import { type FittedForm, fitForm } from "./fit-form.ts";
import { writeInitialStates } from "./initial-states.ts";
import {
  BETA,
  filterEts,
  forecastEts,
  GAMMA,
  gradientOf,
  lossOf,
  PHI,
  SEASON,
  SLOPE,
  Tape,
} from "./recursion.ts";

interface EtsFigures {
  readonly series: readonly {
    readonly name: string;
    readonly season: number;
    readonly values: readonly number[];
    readonly models: readonly {
      readonly form: EtsForm;
      readonly alpha: number;
      readonly beta: number;
      readonly gamma: number;
      readonly phi: number;
      readonly level: number;
      readonly slope: number;
      readonly season: readonly number[];
      readonly minusTwoLogLikelihood: number;
      readonly aicc: number;
      readonly forecasts: readonly number[];
    }[];
  }[];
}

const FIGURES = readFigures<EtsFigures>("ets_figures");
const ALL_FORMS: readonly EtsForm[] = (["A", "M"] as const).flatMap((error) =>
  (["N", "A", "M"] as const).flatMap((season) =>
    (["N", "A", "M"] as const).flatMap((trend) =>
      (trend === "N" ? [false] : [false, true]).map((damped) => ({ error, trend, damped, season })),
    ),
  ),
);

for (const choice of ETS_CHOICES) {
  describeSeriesModel({
    name: `ets, ${choice}`,
    fit: (history, seasonLength) => fitEts(history, { seasonLength, choice }),
    load: loadEts,
    runs: 30,
  });
}
describeSeriesModel({
  name: "ets with multiplicative trends",
  fit: (history, seasonLength) => fitEts(history, { seasonLength, multiplicativeTrend: true }),
  load: loadEts,
  runs: 30,
});

describe.each(FIGURES.series)("beside statsforecast: $name", (figure) => {
  const values = Float64Array.from(figure.values);
  const n = values.length;
  const tape = new Tape(n, figure.season);
  const named = figure.models.map((model) => ({ ...model, name: formName(model.form) }));

  it.each(named)("$name: likelihood and forecasts at its parameters", (model) => {
    const { form, alpha, beta, gamma, phi, level, slope, season } = model;
    const parameters = Float64Array.of(alpha, beta, gamma, phi, level, slope, ...season);
    expect(filterEts(values, form, parameters, figure.season, tape)).toBe(true);
    // Theirs counts n times the log of the sum of squares, ours the log of the mean.
    const likelihood = n * (lossOf(values, form, tape) + Math.log(n));
    expect(likelihood).toBeCloseTo(model.minusTwoLogLikelihood, 6);
    const horizon = model.forecasts.length;
    forecastEts(form, phi, figure.season, n, tape, horizon).forEach((value, h) => {
      expect(value / model.forecasts[h]).toBeCloseTo(1, 7);
    });
  });

  it.each(named)("$name: a likelihood no worse than its simplex search finds", (model) => {
    const { form, alpha, beta, gamma, phi, level, slope, season } = model;
    const scale = scaleOf(values);
    const plain = scaled(values, scale);
    const criterion = (near: FittedForm | null): number =>
      fitForm(plain, form, figure.season, tape, near, { trend: 0, season: 0 })!.aicc +
      n * Math.log(n * scale * scale);
    const additive = (value: number): number => value / scale;
    const theirs = Float64Array.of(
      ...[alpha, beta, gamma, phi, additive(level)],
      form.trend === "M" ? slope : additive(slope),
      ...(form.season === "A" ? season.map(additive) : season),
    );
    const near = { form, parameters: theirs, aicc: model.aicc };
    // One of theirs lies beyond its own bounds.
    if (beta <= alpha) expect(criterion(near)).toBeLessThan(model.aicc + 0.05);
    // From its own start the search may end at another maximum, with a slower level.
    expect(criterion(null)).toBeLessThan(model.aicc + 6);
  });
});

describe("the gradient of the likelihood", () => {
  it("is that of differences, in all forms", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ALL_FORMS),
        fc.array(fc.double({ min: 0.5, max: 2, noNaN: true }), { minLength: 9, maxLength: 20 }),
        fc.tuple(...[0, 1, 2].map(() => fc.double({ min: 0.05, max: 0.6, noNaN: true }))),
        (form, list, [alpha, beta, gamma]) => {
          const m = 3;
          const values = Float64Array.from(list);
          const tape = new Tape(values.length, m);
          const parameters = new Float64Array(SEASON + m);
          parameters.set([alpha, alpha * beta, (1 - alpha) * gamma, form.damped ? 0.9 : 1]);
          writeInitialStates(values, form, m, parameters);
          const loss = (): number =>
            filterEts(values, form, parameters, m, tape)
              ? lossOf(values, form, tape)
              : Number.POSITIVE_INFINITY;
          fc.pre(loss() < 3);
          const gradient = new Float64Array(SEASON + m);
          gradientOf(values, form, parameters, m, tape, gradient);
          for (let i = 0; i < gradient.length; i++) {
            if (form.trend === "N" && (i === BETA || i === PHI || i === SLOPE)) continue;
            if (form.season === "N" && (i === GAMMA || i >= SEASON)) continue;
            const at = parameters[i];
            const step = 1e-5;
            parameters[i] = at + step;
            const above = loss();
            parameters[i] = at - step;
            const below = loss();
            parameters[i] = at;
            fc.pre(Number.isFinite(above) && Number.isFinite(below));
            const slope = (above - below) / (2 * step);
            expect(Math.abs(slope - gradient[i])).toBeLessThan(1e-4 * (1 + Math.abs(slope)));
          }
        },
      ),
      { numRuns: 300, seed: 8 },
    );
  });
});

describe("the choice of forms", () => {
  it("offers the stable ones that the values allow", () => {
    const all = admissibleForms({ positive: true, seasonal: true, multiplicativeTrend: true });
    expect(all.map(formName).sort()).toEqual(
      [
        ...["ANN", "AAN", "AAdN", "MNN", "MAN", "MAdN", "MMN", "MMdN"],
        ...["ANA", "AAA", "AAdA", "MNA", "MAA", "MAdA"],
        ...["MNM", "MAM", "MAdM", "MMM", "MMdM"],
      ].sort(),
    );
    const signed = admissibleForms({ positive: false, seasonal: true, multiplicativeTrend: true });
    expect(signed.map(formName).sort()).toEqual(["AAA", "AAN", "AAdA", "AAdN", "ANA", "ANN"]);
  });

  it("counts parameters as the literature does", () => {
    const count = (error: "A", trend: "N" | "A", damped: boolean, season: "N" | "A"): number =>
      parameterCount({ error, trend, damped, season }, 12);
    expect(count("A", "N", false, "N")).toBe(2);
    expect(count("A", "A", true, "N")).toBe(5);
    expect(count("A", "A", false, "A")).toBe(16);
  });

  it("takes the form a series was made by", () => {
    const made = Float64Array.from(
      { length: 96 },
      (_, t) =>
        (20 + 2 * t) * (1 + 0.4 * Math.sin((Math.PI * t) / 6)) * (1 + 0.02 * Math.sin(t * t)),
    );
    const { saved } = fitEts(made, { seasonLength: 12, choice: "best" });
    expect(formName(saved.forms[0].form)).toBe("MAM");
    expect(saved.forms[0].weight).toBe(1);
    const flat = Float64Array.from({ length: 60 }, (_, t) => 5 + Math.sin(t * t));
    expect(fitEts(flat, { seasonLength: 1, choice: "best" }).saved.forms[0].form.trend).toBe("N");
  });

  it("fits only forms that are named", () => {
    const history = Float64Array.from({ length: 30 }, (_, t) => 10 + t + Math.sin(t * t));
    const form: EtsForm = { error: "A", trend: "A", damped: true, season: "N" };
    const { saved } = fitEts(history, { seasonLength: 1, forms: [form] });
    expect(saved.forms.map((each) => each.form)).toEqual([form]);
  });
});
