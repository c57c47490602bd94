import { describe, expect, it } from "vitest";
import type { DataShape } from "../../families/family.ts";
import { isActive } from "../../search/activation.ts";
import { validateParameters } from "../../search/validate-parameters.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "../config/config.ts";
import { type AskedTrial, LOG_VERSION, type RunPlan, type Scores } from "../log/events.ts";
import { applyEvent, emptyState, type RunState } from "../log/state.ts";
import { buildMatrix } from "../plan/matrix.ts";
import { askStep } from "./ask.ts";

const shape: DataShape = {
  rows: 500,
  task: { kind: "binclass", classes: ["0", "1"] },
  features: ["a", "b", "c"].map((name) => ({ kind: "numeric", name, column: name })),
};

function configOf(more: Partial<RunConfigInput>): RunConfig {
  return runConfigSchema.parse({
    task: { taskKind: "binclass", labelColumn: "y" },
    modelFamilies: ["gbdt", "linear"],
    metrics: ["log_loss", "accuracy"],
    nTrials: 16,
    nTrialsPerStep: 4,
    ...more,
  });
}

function planOf(config: RunConfig): RunPlan {
  const matrix = buildMatrix(config, shape);
  return {
    logVersion: LOG_VERSION,
    task: shape.task,
    rows: shape.rows,
    columns: [],
    features: 3,
    matrix: matrix.rows,
    leftOut: [],
    metrics: config.metrics ?? [],
    folds: 1,
    splitter: "",
    trials: (config.nTrials ?? 0) * matrix.rows.length,
    trialsPerStep: config.nTrialsPerStep,
    steps: (config.nTrials ?? 0) / config.nTrialsPerStep,
    warnings: [],
  };
}

const at = "2026-01-01T00:00:00.000Z";

/** A whole search whose scores are a function of the parameters. */
function searchOf(config: RunConfig, scoresOf: (trial: AskedTrial) => Scores): RunState {
  const plan = planOf(config);
  const state = emptyState();
  applyEvent(state, { type: "planned", plan, at });
  for (let step = 0; step < plan.steps; step++) {
    const trials = askStep(state, plan, config);
    applyEvent(state, { type: "step_asked", step, trials, at });
    for (const trial of trials) {
      applyEvent(state, {
        type: "trial_finished",
        trial: trial.trial,
        scores: scoresOf(trial),
        at,
      });
    }
  }
  return state;
}

const rate = ({ parameters }: Pick<AskedTrial, "parameters">): number =>
  Number(parameters["learning_rate"] ?? parameters["penalty"]);
const scores = (trial: AskedTrial): Scores => ({ log_loss: rate(trial), accuracy: rate(trial) });

/** Searched parameters of a row's trials, in order. */
function triedIn(state: RunState, row: number): Record<string, unknown>[] {
  const searched = Object.keys(state.plan?.matrix[row].space ?? {});
  return state.trials
    .filter((trial) => trial.row === row)
    .map(({ parameters }) =>
      Object.fromEntries(Object.entries(parameters).filter(([name]) => searched.includes(name))),
    );
}

describe("askStep", () => {
  it("tries every row's portfolio first, in order, whatever the size of a step", () => {
    for (const nTrialsPerStep of [1, 4, 16]) {
      const state = searchOf(configOf({ nTrialsPerStep }), scores);
      for (const [row, { portfolio }] of (state.plan?.matrix ?? []).entries()) {
        expect(portfolio.length).toBeGreaterThan(5);
        expect(triedIn(state, row).slice(0, portfolio.length)).toEqual(portfolio);
      }
    }
  });

  it("begins with the defaults alone where no portfolio is asked for", () => {
    const starts = (["portfolio", "sobol", "random"] as const).map((startup) => {
      const state = searchOf(configOf({ startup }), scores);
      const tried = triedIn(state, 0);
      expect(tried[0]).toEqual(state.plan?.matrix[0].portfolio[0]);
      return JSON.stringify(tried[1]);
    });
    expect(new Set(starts).size).toBe(3);
  });

  it("asks for distinct points of the space, and the same ones again", () => {
    for (const startup of ["portfolio", "sobol", "random"] as const) {
      for (const searchStrategy of ["random", "tpe"] as const) {
        const config = configOf({ startup, searchStrategy });
        const state = searchOf(config, scores);
        expect(searchOf(config, scores).trials).toEqual(state.trials);
        expect(state.trials).toHaveLength(32);
        for (const [row, { space }] of (state.plan?.matrix ?? []).entries()) {
          const tried = triedIn(state, row);
          expect(new Set(tried.map((point) => JSON.stringify(point))).size).toBe(16);
          for (const { parameters } of state.trials.filter((trial) => trial.row === row)) {
            const point = Object.fromEntries(
              Object.keys(space).flatMap((name) =>
                name in parameters ? [[name, parameters[name]]] : [],
              ),
            );
            validateParameters(space, point);
            for (const name of Object.keys(space)) {
              expect(name in point).toBe(isActive(space[name], point));
            }
          }
        }
      }
    }
  });

  it("keeps to a request's space: portfolios move into it, and coincide once", () => {
    const models = [
      {
        family: "gbdt",
        search: { learning_rate: { type: "float" as const, low: 0.2, high: 0.3 } },
        fixed: { num_leaves: 7, extra_trees: false },
      },
      {
        family: "linear",
        fixed: { penalty: 0.1, regularization: "l2", numeric_transform: "none" },
      },
    ];
    const { matrix } = planOf(configOf({ hpoSpace: { models } }));
    const [gbdt, linear] = matrix;
    for (const point of gbdt.portfolio) {
      expect(point["learning_rate"]).toBe(0.2);
      expect(point).not.toHaveProperty("num_leaves");
    }
    expect(new Set(gbdt.portfolio.map((point) => JSON.stringify(point))).size).toBe(
      gbdt.portfolio.length,
    );
    expect(linear.portfolio.length).toBeLessThanOrEqual(2);
  });

  it("learns from the first metric, and from all of them in a sweep", () => {
    const late = (more: Partial<RunConfigInput>): number => {
      const config = configOf({ modelFamilies: ["gbdt"], nTrials: 60, startup: "sobol", ...more });
      // A low rate is good for the first metric and bad for the second.
      const trials = searchOf(config, scores).trials.slice(30).map(rate);
      return trials.filter((each) => each > 0.04).length;
    };
    expect(late({ gridSize: 4 })).toBeGreaterThan(late({}) + 3);
  });
});
