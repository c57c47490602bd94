/** The configurations that a portfolio is chosen from: points of a family's space of entries. */

import type { Family } from "../../../engine/src/families/family.ts";
import type { PortfolioEntry } from "../../../engine/src/families/portfolio.ts";
import type { Parameter, Parameters, SearchSpace } from "../../../engine/src/search/space.ts";
import type { Task, TaskKind } from "../../../engine/src/tasks/index.ts";

/** Marks a parameter of the space of entries that is a factor on the default. */
const TIMES = "×";

/** Parameters whose good values follow the shape of the data: factors on their defaults. */
const SCALED: Readonly<Record<string, Readonly<Record<string, Parameter>>>> = {
  penalty: { linear: { type: "float", low: 1 / 30, high: 300, log: true } },
  min_samples_leaf: {
    random_forest: { type: "int", low: 1, high: 32, log: true },
    extra_trees: { type: "int", low: 1, high: 32, log: true },
  },
};

/** Classifying forests try about the square root of the features at a node. */
const CLASS_FEATURES: Parameter = { type: "float", low: 0.4, high: 4, log: true };

function scaled(family: string, task: TaskKind, name: string): Parameter | undefined {
  if (name === "max_features" && task !== "regression") return CLASS_FEATURES;
  return SCALED[name]?.[family];
}

/** Every parameter that the family's space has for some shape of data, factors for some. */
export function entrySpace(family: Family, kind: TaskKind): SearchSpace {
  const task: Task = {
    kind,
    classes: kind === "regression" ? [] : kind === "binclass" ? ["a", "b"] : ["a", "b", "c"],
  };
  const many = Array.from({ length: 1000 }, (_, i) => String(i));
  const space = family.searchSpace({
    rows: 3000,
    task,
    features: [
      ...Array.from({ length: 8 }, (_, i) => ({
        kind: "numeric" as const,
        name: `x${i}`,
        column: `x${i}`,
      })),
      { kind: "categorical", name: "few", column: "few", categories: ["a", "b", "c"] },
      { kind: "categorical", name: "many", column: "many", categories: many },
    ],
  });
  return Object.fromEntries(
    Object.entries(space).map(([name, parameter]) => {
      const factor = scaled(family.id, kind, name);
      return factor ? [name + TIMES, factor] : [name, parameter];
    }),
  );
}

export function entryOf(point: Parameters): PortfolioEntry {
  const set: Record<string, Parameters[string]> = {};
  const times: Record<string, number> = {};
  for (const [name, value] of Object.entries(point)) {
    if (!name.endsWith(TIMES)) set[name] = rounded(value);
    else if (typeof value === "number") {
      times[name.slice(0, -TIMES.length)] = Number(value.toPrecision(3));
    }
  }
  return { set, times };
}

/** Three digits are read more easily than seventeen and search no worse. */
function rounded(value: Parameters[string]): Parameters[string] {
  return typeof value === "number" && !Number.isInteger(value)
    ? Number(value.toPrecision(3))
    : value;
}
