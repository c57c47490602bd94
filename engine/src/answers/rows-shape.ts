/** Whether what a program gives as rows is of a form that there is: else nothing might be answered, without a word. */

import type { Frame } from "../data/frame.ts";
import { theClosest } from "../data/readers/column-names.ts";
import { shown } from "../data/shown.ts";

const ROWS = "`{ instances: [{ column: value }] }`, or `{ columns: [name], data: [[value]] }`";
const FORMS: Readonly<Record<"rows" | Frame["kind"], string>> = {
  rows: ROWS,
  sequences: ROWS,
  series: `\`{ history, future, horizon, series }\`, each of which may be left out, ${ROWS}`,
};
const MEMBERS = {
  rows: ["instances", "columns", "data"],
  series: ["history", "future", "series", "horizon"],
};

/**
 * @param kind of the model that is asked
 * @throws TypeError that says what was given, and what can be
 */
export function checkShape(given: unknown, kind: keyof typeof FORMS): void {
  const wrong = (found: string): TypeError =>
    new TypeError(`The rows are ${found}. Give them as ${FORMS[kind]}.`);
  if (given === undefined) throw wrong("missing");
  if (typeof given !== "object" || given === null) throw wrong(shapeOf(given));
  if (Array.isArray(given) || ArrayBuffer.isView(given)) {
    throw wrong("a list, which does not say what it holds");
  }
  if (given instanceof Promise) throw wrong("a promise, which is to be awaited first");
  const isLeftOut = (name: string): boolean => MEMBERS.series.includes(name);
  const members = Object.entries(given).filter(
    ([name, value]) => value !== undefined || !isLeftOut(name),
  );
  const names = members.map(([name]) => name);
  const known = kind === "series" ? [...MEMBERS.rows, ...MEMBERS.series] : MEMBERS.rows;
  for (const [name, value] of members) {
    if (!known.includes(name)) {
      const forecasts = MEMBERS.series.includes(name)
        ? "which models of series alone take"
        : `which is none of rows; ${theClosest(name, known)}`;
      throw wrong(`an object with the member ${shown(name)}, ${forecasts}`);
    }
    const reason = name === "horizon" ? faultOfHorizon(value) : faultOfList(name, value);
    if (reason !== null) throw wrong(`an object whose \`${name}\` ${reason}`);
  }
  const [one, other] = ["columns", "data"].map((name) => names.includes(name));
  if (one !== other) throw wrong(`\`${one ? "columns" : "data"}\` alone`);
  const forms = [
    names.includes("instances"),
    one,
    names.some((name) => MEMBERS.series.includes(name)),
  ].filter(Boolean).length;
  if (forms > 1) throw wrong(`of several forms: ${names.map(shown).join(", ")}`);
  if (forms === 0 && kind !== "series") throw wrong("an object without members");
}

function faultOfHorizon(value: unknown): string | null {
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 1;
  return isCount ? null : `is ${shapeOf(value)}, and not a whole number of steps from 1 on`;
}

function faultOfList(name: string, value: unknown): string | null {
  if (!Array.isArray(value)) return `is ${shapeOf(value)}, and not a list`;
  if (name !== "columns" && name !== "series") return null;
  const isNames = name === "columns";
  const at = value.findIndex((each: unknown) =>
    isNames
      ? typeof each !== "string"
      : typeof each !== "object" || each === null || Array.isArray(each),
  );
  if (at < 0) return null;
  const needed = isNames
    ? "the name of a column"
    : "an object of the columns that tell series apart";
  return `has ${shapeOf(value[at])} at ${at}, and not ${needed}`;
}

function shapeOf(value: unknown): string {
  if (typeof value === "string") return `the text ${shown(value)}`;
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
