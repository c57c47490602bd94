/**
 * From rows of steps in long form to one row a sequence: columns that vary within sequences are its
 * channels, columns that do not are features beside them.
 */

import { z } from "zod";
import { cellText, coerceColumn, missingColumn } from "../../data/coerce.ts";
import type { SourceColumn } from "../../data/feature-schema.ts";
import type { SequenceFrame } from "../../data/frame.ts";
import { SLASHED_ORDERS } from "../../data/readers/timestamp-text.ts";
import { shown } from "../../data/shown.ts";
import { type CategoricalColumn, type Column, DataError, type Table } from "../../data/table.ts";
import { takeCells } from "../../data/table-rows.ts";
import type { FramedRows, FramedTable, Framing, TaskMembers } from "../framing.ts";
import { changeWithin } from "../grouped-rows.ts";
import { findColumn } from "../named-column.ts";
import {
  inputsOf,
  MOST_LEVELS,
  numbersOf,
  type StepColumn,
  stepColumnSchema,
  stepColumnsOf,
} from "../step-columns.ts";
import { firstPresent, groupSteps, type Sequences } from "./group-steps.ts";
import { isPadded, withoutPadding } from "./padding.ts";

const headerSchema = z.object({
  sequenceColumn: z.string(),
  order: z
    .object({
      column: z.string(),
      kind: z.enum(["numeric", "timestamp"]),
      slashed: z.enum(SLASHED_ORDERS).optional(),
    })
    .nullable(),
  channels: z.array(stepColumnSchema).min(1),
  /** Whether steps at the end without any value are none. */
  isPadded: z.boolean().default(false),
});

type Header = z.infer<typeof headerSchema>;

/**
 * Up to so many, each fit of a blend's members learns from all of them in the end. Of more, the share that a fold
 * leaves out teaches little, and the fits cost a search dear.
 */
export const FEW_SEQUENCES = 1000;

export const sequenceFraming: Framing = {
  kind: "sequences",
  required: ["sequenceColumn"],

  frame(table, { task, rows, labelColumn, beside, ignored }): FramedTable {
    const { id, order } = rolesOf(table, task);
    const sequences = groupSteps(id, order, rows);
    const ofSequences = new Set([labelColumn, ...beside]);
    const inSteps = new Set([id.name, ...(order ? [order.name] : []), ...ignored]);
    // Nothing varies within one step: then numbers are what is measured in it.
    const isSingle = sequences.rows.length === sequences.names.length;
    const columns: Column[] = [];
    const channels: StepColumn[] = [];
    const warnings: string[] = [];
    for (const column of table.columns) {
      if (ofSequences.has(column.name)) {
        columns.push(oneOfEach(column, sequences, id.name));
        continue;
      }
      if (inSteps.has(column.name)) continue;
      const isMeasured = column.kind === "numeric" || column.kind === "boolean";
      if (isSingle ? !isMeasured : changeWithin(column, sequences) === null) {
        columns.push(takeCells(column, firstPresent(column, sequences)));
        continue;
      }
      const found = stepColumnsOf(column, sequences.rows);
      if (found === null) warnings.push(leftOut(column));
      else channels.push(...found);
    }
    for (const name of ofSequences) findColumn(table, name, "sequences");
    if (channels.length === 0) {
      throw new DataError(
        `No column varies within the sequences of ${shown(id.name)}, so their steps carry no information. Is ${shown(id.name)} the column that tells sequences apart, not their steps?`,
        { column: id.name },
      );
    }
    const label = findColumn(table, labelColumn, "label");
    const written = table.written?.get(labelColumn);
    const whole = frameOf(table, channels, sequences, true);
    const padded = isPadded(whole);
    const frame = padded ? withoutPadding(whole) : whole;
    if (padded) warnings.push(paddingTold(whole, frame));
    const header: Header = {
      sequenceColumn: id.name,
      order: order && {
        column: order.name,
        kind: order.kind === "timestamp" ? "timestamp" : "numeric",
        ...(order.kind === "timestamp" && order.slashed ? { slashed: order.slashed } : {}),
      },
      channels,
      isPadded: padded,
    };
    return {
      table: {
        rows: sequences.names.length,
        columns,
        origins: {
          rows: firstRows(sequences),
          called: ["sequences", "sequence"],
          names: sequences.names,
        },
        ...(written && { written: writtenLabels(label, written, sequences) }),
      },
      frame,
      saved: { header, tensors: {} },
      warnings: [...warnings, ...lengthWarnings(sequences)],
    };
  },

  read(table, saved, { most } = {}): FramedRows {
    const { sequenceColumn, order, channels, isPadded: padded } = headerSchema.parse(saved.header);
    const columnOf = (name: string): Column | undefined =>
      table.columns.find((column) => column.name === name);
    const warnings: string[] = [];
    const id = columnOf(sequenceColumn);
    if (!id) {
      warnings.push(
        `The rows have no ${shown(sequenceColumn)}: they are taken as the steps of one sequence.`,
      );
    }
    const ordering = order && columnOf(order.column);
    if (order && !ordering) {
      warnings.push(
        `The rows have no ${shown(order.column)}: their steps are taken in the order of the rows.`,
      );
    }
    const sequences = groupSteps(
      id ?? { kind: "numeric", name: sequenceColumn, values: new Float64Array(table.rows) },
      order && ordering ? coerceColumn(ordering, order.kind) : null,
      null,
    );
    if (most !== undefined && sequences.names.length > most) {
      throw new DataError(
        `The rows are of ${sequences.names.length} sequences; at most ${most} are answered at once.`,
      );
    }
    const measured = new Set(channels.map(({ column }) => column));
    for (const name of measured) {
      if (columnOf(name)) continue;
      warnings.push(`Column ${shown(name)} is absent; its values are treated as missing.`);
    }
    const own = new Set([sequenceColumn, ...(order ? [order.column] : []), ...measured]);
    const beside = table.columns.filter(({ name }) => !own.has(name));
    for (const column of beside) {
      const change = changeWithin(column, sequences);
      if (change !== null) warnings.push(changeTold(column, change, sequences));
    }
    const frame = frameOf(table, channels, sequences, false);
    return {
      table: {
        rows: sequences.names.length,
        columns: beside.map((column) => takeCells(column, firstPresent(column, sequences))),
      },
      frame: padded ? withoutPadding(frame) : frame,
      rows: null,
      answered: null,
      keys: sequences.names.map((name) => (id ? { id: name } : {})),
      warnings,
    };
  },

  steps(table, task, rows) {
    const { id, order } = rolesOf(table, task);
    return { ...groupSteps(id, order, rows), id: id.name };
  },

  inputs(saved): SourceColumn[] {
    const { sequenceColumn, order, channels } = headerSchema.parse(saved.header);
    const text = (name: string): SourceColumn => ({ kind: "text", name, parts: [], tokens: [] });
    return [
      text(sequenceColumn),
      ...(order === null
        ? []
        : order.kind === "numeric"
          ? [{ kind: "numeric" as const, name: order.column }]
          : [
              {
                kind: "timestamp" as const,
                name: order.column,
                origin: 0,
                parts: [],
                slashed: order.slashed,
              },
            ]),
      ...inputsOf(channels).map(({ name, isText }) =>
        isText ? text(name) : { kind: "numeric" as const, name },
      ),
    ];
  },
};

function rolesOf(
  table: Table,
  { sequenceColumn, orderColumn }: TaskMembers,
): { readonly id: Column; readonly order: Column | null } {
  return {
    id: findColumn(table, String(sequenceColumn), "sequences"),
    order: typeof orderColumn === "string" ? findColumn(table, orderColumn, "order") : null,
  };
}

/** The first step of each. */
function firstRows({ rows, offsets, names }: Sequences): Uint32Array {
  return Uint32Array.from(names, (_, i) => rows[offsets[i]]);
}

/** A column that has one value a sequence: the label, a weight, a group. */
function oneOfEach(column: Column, sequences: Sequences, id: string): Column {
  const change = changeWithin(column, sequences);
  if (change === null) return takeCells(column, firstPresent(column, sequences));
  const [first, row] = change.rows;
  throw new DataError(
    `${shown(column.name)} changes within the sequence ${shown(sequences.names[change.group])} of ${shown(id)}: ${cellText(column, first)} in row ${first + 1}, ${cellText(column, row)} in row ${row + 1}. A sequence has one.`,
    { column: column.name, row: row + 1 },
  );
}

/** At predicting, of a column that never changed in training. */
function changeTold(
  column: Column,
  { group, rows: [first, other] }: NonNullable<ReturnType<typeof changeWithin>>,
  { names }: Sequences,
): string {
  return `Column ${shown(column.name)} had one value a sequence in training, but changes within the sequence ${shown(names[group])}: ${cellText(column, first)} in row ${first + 1}, ${cellText(column, other)} in row ${other + 1}. Each sequence's first value is taken.`;
}

function writtenLabels(
  label: Column,
  written: CategoricalColumn,
  sequences: Sequences,
): ReadonlyMap<string, CategoricalColumn> {
  const places = firstPresent(label, sequences);
  const codes = Int32Array.from(places, (row) => written.codes[row]);
  return new Map([[label.name, { ...written, codes }]]);
}

function leftOut({ name, kind }: Column): string {
  return kind === "timestamp"
    ? `Column ${shown(name)} has times that change within sequences and is not the order column; it is left out.`
    : `Column ${shown(name)} changes within sequences and has more than ${MOST_LEVELS} different texts; it is left out.`;
}

function paddingTold(whole: SequenceFrame, { offsets, count }: SequenceFrame): string {
  const lost = whole.offsets[count] - offsets[count];
  return `${lost} rows at the ends of sequences have no value in any channel: they are no steps.`;
}

function lengthWarnings({ offsets, names }: Sequences): string[] {
  const single = names.filter((_, i) => offsets[i + 1] - offsets[i] === 1);
  if (single.length === 0) return [];
  return [
    `${single.length} of ${names.length} sequences have one step only, first ${shown(single[0])}.`,
  ];
}

/** @param shared over SharedArrayBuffers, for the threads of a run */
function frameOf(
  table: Table,
  channels: readonly StepColumn[],
  { rows, offsets, names }: Sequences,
  shared: boolean,
): SequenceFrame {
  const buffer = (bytes: number): ArrayBuffer | SharedArrayBuffer =>
    shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
  const places = new Uint32Array(buffer(offsets.byteLength));
  places.set(offsets);
  const values = channels.map(({ column: name, level }) => {
    const out = new Float64Array(buffer(rows.length * 8));
    const given = table.columns.find((column) => column.name === name);
    const column = given ?? missingColumn(name, "numeric", table.rows);
    const numberOf = numbersOf(column, { level });
    for (const [i, row] of rows.entries()) out[i] = numberOf(row);
    return out;
  });
  return {
    kind: "sequences",
    count: names.length,
    channels: channels.length,
    columns: channels.map(({ column }) => column),
    offsets: places,
    values,
  };
}
