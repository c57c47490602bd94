/** Rows as a program gives them, checked as the service checks a request's. */

import {
  asksForForecasts,
  cellFaults,
  forecastFault,
  type RowFault,
} from "../../src/answers/row-faults.ts";
import type { Rows as Question, RowsKind } from "../../src/answers/rows.ts";
import { theClosest } from "../../src/data/readers/column-names.ts";
import { RowsError } from "./rows-error.ts";
import type { Rows } from "./types.ts";

/**
 * @param kind of the model that is asked
 * @throws RowsError that names rows and cells
 */
export function questionOf(given: Rows, kind: RowsKind): Question {
  const rows: unknown = Array.isArray(given) ? { instances: given } : given;
  if (typeof rows !== "object" || rows === null) {
    throw new RowsError([
      { loc: [], msg: "Input should be a valid dictionary", type: "dict_type" },
    ]);
  }
  const members: Readonly<Record<string, unknown>> = { ...rows };
  const faults = shapeFaults(members, asksForForecasts(rows, kind));
  const found = faults.length > 0 ? faults : cellFaults(members, false);
  if (found.length > 0) throw new RowsError(found);
  // Looked at above, member by member.
  const question = members as unknown as Question;
  const fault = forecastFault(question, kind);
  if (fault) throw new RowsError([fault]);
  return question;
}

/** Members of each form of rows: whether they are needed, and hold at least one. */
const FORMS = {
  instances: { instances: { needed: true, least: 1 } },
  columns: { columns: { needed: true, least: 1 }, data: { needed: true, least: 1 } },
  forecast: {
    history: { needed: false, least: 0 },
    future: { needed: false, least: 0 },
    series: { needed: false, least: 1 },
  },
} as const;

/** Those that rows may have in some form. */
const MEMBERS = {
  rows: [...Object.keys(FORMS.instances), ...Object.keys(FORMS.columns)],
  forecast: [...Object.keys(FORMS.forecast), "horizon"],
};

function shapeFaults(
  rows: Readonly<Record<string, unknown>>,
  isForecast: boolean,
): readonly RowFault[] {
  const lists: Readonly<Record<string, { readonly needed: boolean; readonly least: number }>> =
    isForecast
      ? FORMS.forecast
      : "columns" in rows || "data" in rows
        ? FORMS.columns
        : FORMS.instances;
  const faults: RowFault[] = [];
  for (const [name, { needed, least }] of Object.entries(lists)) {
    const list = rows[name];
    if (list === undefined) {
      if (needed) faults.push({ loc: [name], msg: "Field required", type: "missing" });
    } else if (!Array.isArray(list)) {
      faults.push({ loc: [name], msg: "Input should be a valid list", type: "list_type" });
    } else if (list.length < least) {
      faults.push({
        loc: [name],
        msg: `List should have at least ${least} item after validation, not ${list.length}`,
        type: "too_short",
        ctx: { field_type: "List", min_length: least, actual_length: list.length },
      });
    }
  }
  const { horizon } = rows;
  if (isForecast && horizon !== undefined) {
    if (typeof horizon !== "number" || !Number.isInteger(horizon)) {
      faults.push({ loc: ["horizon"], msg: "Input should be a valid integer", type: "int_type" });
    } else if (horizon < 1) {
      const msg = "Input should be greater than or equal to 1";
      faults.push({ loc: ["horizon"], msg, type: "greater_than_equal", ctx: { ge: 1 } });
    }
  }
  const known: readonly string[] = isForecast ? MEMBERS.forecast : MEMBERS.rows;
  for (const name of Object.keys(rows)) {
    if (name in lists || (isForecast && name === "horizon")) continue;
    const closest = known.includes(name) ? "" : `; ${theClosest(name, known)}`;
    const msg = `Extra inputs are not permitted${closest}`;
    faults.push({ loc: [name], msg, type: "extra_forbidden" });
  }
  return faults;
}
