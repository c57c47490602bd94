/**
 * Requests for predictions that waited together, answered in one pass over their rows. Each is answered
 * as it would be alone: those whose rows give cause for a warning or an error are asked again by
 * themselves. What is said of their columns, such as that one is absent, is said to each.
 */

import { isDeepStrictEqual } from "node:util";
import { type Model, predictionsOf, predictRows, type Rows } from "@distillery/engine";
import { MOST_ROWS } from "../model-rows.ts";
import type { DriftCounts } from "./drift-counts.ts";

interface Waiting {
  readonly modelId: string;
  readonly endpointId?: string | undefined;
  readonly rows: Rows;
  readonly coverage?: number | undefined;
}

type Answers = ReturnType<typeof predictionsOf>;

/** A form of rows that is warned of as a rule is not tried together again for so many turns. */
const TURNS = 32;
/** So many forms are remembered of a model. */
const FORMS = 256;
const warned = new WeakMap<Model, Map<string, number>>();
/** What is said of a form whatever its rows are. */
const ofForms = new WeakMap<Model, Map<string, readonly string[]>>();

/**
 * The answers to requests whose rows are predicted one by one; null = to be asked alone.
 *
 * @param requests null = one that is out already
 * @param drift counts the rows that are answered here
 */
export function answerTogether(
  model: Model,
  requests: readonly (Waiting | null)[],
  drift: DriftCounts,
): (Answers | null)[] {
  const answers = requests.map((): Answers | null => null);
  const groups = new Map<string, number[]>();
  for (const [at, request] of requests.entries()) {
    const form = request && formOf(request);
    if (form === null) continue;
    const group = groups.get(form);
    if (group) group.push(at);
    else groups.set(form, [at]);
  }
  for (const [form, places] of groups) {
    if (places.length < 2 || mustWait(model, form)) continue;
    const alone = answerHalves(model, requests, { form, places }, { answers, drift });
    if (alone > places.length / 2) remember(model, form);
  }
  return answers;
}

/**
 * Fills in the answers to requests of one form: all together, or each half by itself where anything is to
 * be said beside predictions.
 *
 * @returns how many are to be asked alone
 */
function answerHalves(
  model: Model,
  requests: readonly (Waiting | null)[],
  { form, places }: { readonly form: string; readonly places: readonly number[] },
  out: { readonly answers: (Answers | null)[]; readonly drift: DriftCounts },
): number {
  if (places.length < 2) return places.length;
  const group = places.flatMap((at) => requests[at] ?? []);
  const all = predicted(model, form, group, out.drift);
  if (all === null) {
    const half = places.length >> 1;
    return [places.slice(0, half), places.slice(half)].reduce(
      (alone, part) => alone + answerHalves(model, requests, { form, places: part }, out),
      0,
    );
  }
  let first = 0;
  for (const [index, at] of places.entries()) {
    const count = rowsIn(group[index].rows);
    const predictions = all.predictions.slice(first, first + count);
    out.answers[at] = { predictions, warnings: [...all.warnings] };
    first += count;
  }
  return 0;
}

/** Null where anything is to be said of rows beside their predictions. */
function predicted(
  model: Model,
  form: string,
  group: readonly Waiting[],
  drift: DriftCounts,
): Answers | null {
  try {
    const rows = joined(group.map((request) => request.rows));
    const [{ coverage }] = group;
    const output = predictRows(model, { rows, coverage, most: MOST_ROWS.predict });
    const answers = predictionsOf(output);
    const { warnings } = answers;
    if (warnings.length > 0 && !isDeepStrictEqual(warnings, saidOf(model, form, group[0]))) {
      return null;
    }
    drift.add(model, group[0], output);
    return answers;
  } catch {
    // Each is asked again, and told what is wrong with its own rows.
    return null;
  }
}

/** The warnings of one row of the form that has no values, and so gives no cause for any itself. */
function saidOf(model: Model, form: string, { rows, coverage }: Waiting): readonly string[] {
  const known = ofForms.get(model) ?? new Map<string, readonly string[]>();
  ofForms.set(model, known);
  const said =
    known.get(form) ?? predictRows(model, { rows: withoutValues(rows), coverage }).warnings;
  known.set(form, said);
  const [oldest] = known.keys();
  if (known.size > FORMS && oldest !== undefined) known.delete(oldest);
  return said;
}

function withoutValues(rows: Rows): Rows {
  if ("columns" in rows) return { columns: rows.columns, data: [rows.columns.map(() => null)] };
  const [first = {}] = "instances" in rows ? rows.instances : [];
  return { instances: [Object.fromEntries(Object.keys(first).map((name) => [name, null]))] };
}

/** Equal where rows may stand in one table, are read as in their own, and counted alike; null = alone. */
function formOf({ rows, coverage, endpointId }: Waiting): string | null {
  if ("columns" in rows) return JSON.stringify([endpointId, coverage, rows.columns]);
  if (!("instances" in rows)) return null;
  const [first, ...others] = rows.instances.map((row) => JSON.stringify(Object.keys(row)));
  return others.every((names) => names === first) ? `${endpointId} ${coverage} ${first}` : null;
}

function joined(all: readonly Rows[]): Rows {
  const [first] = all;
  return "columns" in first
    ? { columns: first.columns, data: all.flatMap((rows) => ("data" in rows ? rows.data : [])) }
    : { instances: all.flatMap((rows) => ("instances" in rows ? rows.instances : [])) };
}

const rowsIn = (rows: Rows): number =>
  "data" in rows ? rows.data.length : "instances" in rows ? rows.instances.length : 0;

function mustWait(model: Model, form: string): boolean {
  const turns = warned.get(model);
  const left = turns?.get(form) ?? 0;
  if (left > 1) turns?.set(form, left - 1);
  else turns?.delete(form);
  return left > 0;
}

function remember(model: Model, form: string): void {
  const turns = warned.get(model) ?? new Map<string, number>();
  warned.set(model, turns.set(form, TURNS));
  const [oldest] = turns.keys();
  if (turns.size > FORMS && oldest !== undefined) turns.delete(oldest);
}
