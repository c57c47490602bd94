/** The matrix of a run: which families are searched, over which spaces, from which first trials. */

import type { DataShape, Family } from "../../families/family.ts";
import { familiesFor, familyById, PLANNED_FAMILIES, serves } from "../../families/index.ts";
import {
  distinctPoints,
  fitIntoSpace,
  overrideSpace,
  pointCount,
  SearchSpaceError,
  type SpaceOverride,
} from "../../search/index.ts";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import type { TaskKind } from "../../tasks/index.ts";
import type { RunConfig } from "../config/config.ts";
import { ConfigError } from "../config/errors.ts";
import { presetOf } from "../config/presets.ts";
import type { MatrixRow, RunPlan } from "../log/events.ts";

type Path = readonly (string | number)[];

export interface Matrix {
  readonly rows: readonly MatrixRow[];
  readonly leftOut: RunPlan["leftOut"];
}

/** @throws ConfigError naming an unknown family, or a parameter with what is legal */
export function buildMatrix(config: RunConfig, shape: DataShape): Matrix {
  const overrides = config.hpoSpace?.models ?? [];
  const { chosen, leftOut } = chooseFamilies(config, shape);
  const rows: MatrixRow[] = [];
  for (const { family, reason } of chosen) {
    const own = [...overrides.entries()].filter(([, override]) => override.family === family.id);
    if (own.length === 0) rows.push(matrixRow(family, reason, shape, {}, []));
    for (const [index, { search, fixed }] of own) {
      rows.push(matrixRow(family, reason, shape, { search, fixed }, ["hpoSpace", "models", index]));
    }
  }
  return { rows, leftOut };
}

interface Choice {
  readonly family: Family;
  readonly reason: string;
}

function chooseFamilies(
  config: RunConfig,
  shape: DataShape,
): { chosen: Choice[]; leftOut: RunPlan["leftOut"] } {
  const overrides = config.hpoSpace?.models ?? [];
  const task = config.task.taskKind;
  const overridden = overrides.map(({ family }, index) => ({
    id: family,
    path: ["hpoSpace", "models", index, "family"],
  }));
  if (config.modelFamilies) {
    const asked = config.modelFamilies;
    for (const { id, path } of overridden) {
      mustServe(id, task, path);
      if (!asked.includes(id)) {
        throw new ConfigError(
          path,
          `'${id}' is not among the families of this run: ${asked.join(", ")}`,
        );
      }
    }
    const chosen = asked.map((id, index) => ({
      family: mustKeep(mustServe(id, task, ["modelFamilies", index]), config, [
        "modelFamilies",
        index,
      ]),
      reason: "It was asked for.",
    }));
    return { chosen: unique(chosen), leftOut: [] };
  }
  if (overridden.length > 0) {
    const chosen = overridden.map(({ id, path }) => ({
      family: mustKeep(mustServe(id, task, path), config, path),
      reason: "Its space was given.",
    }));
    return { chosen: unique(chosen), leftOut: [] };
  }
  const chosen: Choice[] = [];
  const leftOut: { family: string; reason: string }[] = [];
  const constrained = Object.keys(config.monotoneConstraints).length > 0;
  const { families: preset } = presetOf(config.preset);
  for (const family of familiesFor(task)) {
    const { use, reason } =
      preset && !preset.suits(family)
        ? { use: false, reason: preset.otherwise }
        : constrained && !family.keepsMonotone
          ? { use: false, reason: "It cannot keep monotone constraints." }
          : config.distill && !family.predictsFast
            ? { use: false, reason: "It predicts slowly, and a student is to be fast." }
            : suitability(family, shape, preset?.included);
    if (use) chosen.push({ family, reason });
    else leftOut.push({ family: family.id, reason });
  }
  if (chosen.length === 0 && preset) {
    const why = leftOut.map(({ family, reason }) => `${family}: ${reason}`).join(" ");
    throw new ConfigError(
      ["preset"],
      `No family is left for '${config.preset}'. ${why} Name model families, or another preset.`,
    );
  }
  return { chosen, leftOut };
}

/** Whether the family suits the data, or the preset has a reason of its own to take it. */
function suitability(
  family: Family,
  shape: DataShape,
  included: Readonly<Record<string, string>> = {},
): ReturnType<Family["suits"]> {
  const reason = included[family.id];
  return reason === undefined ? family.suits(shape) : { use: true, reason };
}

/** A family named twice is one row; several spaces of one family are several rows. */
function unique(choices: readonly Choice[]): Choice[] {
  return choices.filter(
    ({ family }, index) => choices.findIndex((other) => other.family === family) === index,
  );
}

function mustServe(id: string, task: TaskKind, path: Path): Family {
  const family = familyById(id);
  const known = familiesFor(task).map((each) => each.id);
  if (!family) {
    const why = PLANNED_FAMILIES.includes(id) ? "is not available yet" : "is not a model family";
    throw new ConfigError(path, `'${id}' ${why}; the known ones are ${known.join(", ")}`);
  }
  if (!serves(family, task)) {
    throw new ConfigError(path, `'${id}' does not support ${task}; these do: ${known.join(", ")}`);
  }
  return family;
}

function mustKeep(family: Family, config: RunConfig, path: Path): Family {
  const constrained = Object.keys(config.monotoneConstraints);
  if (constrained.length === 0 || family.keepsMonotone) return family;
  const { taskKind } = config.task;
  const known = familiesFor(taskKind).filter(({ keepsMonotone }) => keepsMonotone);
  const others =
    known.length > 0
      ? `these can: ${known.map(({ id }) => id).join(", ")}`
      : `no family of ${taskKind} can`;
  throw new ConfigError(
    path,
    `'${family.id}' cannot keep the effect of ${constrained.join(", ")} monotone; ${others}`,
  );
}

function matrixRow(
  family: Family,
  reason: string,
  shape: DataShape,
  override: SpaceOverride,
  path: Path,
): MatrixRow {
  const defaults = family.defaults(shape);
  const { space, fixed } = overridden(family, shape, override, path);
  const seconds = family.fitSeconds?.(shape);
  const ofRound = family.roundSeconds?.(shape);
  const held = Object.fromEntries(
    Object.entries(defaults).filter(([name]) => !(name in space) && !(name in fixed)),
  );
  return {
    family: family.id,
    reason,
    space,
    fixed: { ...held, ...fixed },
    // What differed may coincide in the space that a request left.
    portfolio: distinctPoints(family.portfolio(shape).map((values) => fitIntoSpace(space, values))),
    ...(seconds === undefined ? {} : { fitSeconds: Number(seconds.toPrecision(2)) }),
    ...(ofRound === undefined ? {} : { roundSeconds: Number(ofRound.toPrecision(2)) }),
    ...(Number.isFinite(pointCount(family.searchSpace(shape)))
      ? { points: pointCount(space) }
      : {}),
  };
}

function overridden(
  family: Family,
  shape: DataShape,
  override: SpaceOverride,
  path: Path,
): { readonly space: SearchSpace; readonly fixed: Parameters } {
  try {
    return overrideSpace(family.searchSpace(shape), family.parameters(), override);
  } catch (error) {
    if (!(error instanceof SearchSpaceError)) throw error;
    const { parameter } = error;
    const member =
      parameter !== undefined && parameter in (override.fixed ?? {}) ? "fixed" : "search";
    throw new ConfigError(
      [...path, member, ...(parameter === undefined ? [] : [parameter])],
      error.message,
      error,
    );
  }
}

/** @throws ConfigError where what a rerun is told to ask is not of its matrix, or repeats no earlier trial */
export function checkTrialsAsked(
  {
    trialsAsked = [],
    trialsRepeated = [],
  }: Partial<Pick<RunConfig, "trialsAsked" | "trialsRepeated">>,
  { length }: RunPlan["matrix"],
): void {
  const rowOf = trialsAsked.flat();
  const stepOf = trialsAsked.flatMap((rows, step) => rows.map(() => step));
  for (const [at, { trial, of }] of trialsRepeated.entries()) {
    if (stepOf[of] < stepOf[trial] && rowOf[of] === rowOf[trial]) continue;
    throw new ConfigError(
      ["trialsRepeated", at],
      `Trial ${trial} cannot repeat trial ${of}: both have to be in \`trialsAsked\`, of one family, trial ${of} in an earlier step.`,
    );
  }
  for (const [step, rows] of trialsAsked.entries()) {
    const at = rows.findIndex((row) => row >= length);
    if (at < 0) continue;
    throw new ConfigError(
      ["trialsAsked", step, at],
      `The search has ${length} rows of families, counted from 0; there is no row ${rows[at]}.`,
    );
  }
}
