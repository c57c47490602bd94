/** The rows of a plan in shared memory, once for all workers. Equal inputs give equal bytes. */

import { Arena } from "../../compute/arena.ts";
import { deriveKey } from "../../compute/random.ts";
import { binsToFit } from "../../data/binning/column-binner.ts";
import { shareColumns } from "../../data/binning/shared-binning.ts";
import { encodeFeatures, rebin, withBundles } from "../../data/encode.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { Column, Table } from "../../data/table.ts";
import { familyById } from "../../families/index.ts";
import type { Fold } from "../../validation/fold.ts";
import type { RunConfig } from "../config/config.ts";
import { DataProfiling, unpackDataProfile } from "./data-profile.ts";
import { ColumnReferences } from "./drift-reference.ts";
import { implausibleWarnings } from "./implausible-warnings.ts";
import type { PlannedTable } from "./plan.ts";
import { type PreparedRun, sharedCopy, sharedRows } from "./prepared.ts";
import type { Helped } from "./run-table.ts";

/**
 * A run of planned rows, whose labels are those of the plan.
 *
 * @param helped where its data is to lie, and who shares the binning; null: nobody does
 */
export function encodeRun(
  planned: PlannedTable,
  table: Table,
  config: RunConfig,
  helped: Helped | null = null,
): PreparedRun {
  const { matrix, teaching } = planned.plan;
  const families = matrix.flatMap(({ family }) => familyById(family) ?? []);
  const needsBins = families.some(({ reads }) => reads === "bins");
  // A student is compared with a linear model, which reads values.
  const needsValues =
    teaching ||
    families.some(({ reads }) => reads !== "bins") ||
    matrix.some((row) => familyById(row.family)?.readsValuesBeside?.(row));
  const strict = config.strictFolds && needsBins;
  const profiling = new DataProfiling(table, {
    rows: planned.rows,
    count: planned.plan.rows,
    features: planned.schema.columns.map(({ name }) => name),
    label: config.task.labelColumn,
    isSampled: planned.framing === null,
  });
  const references = planned.framing
    ? null
    : new ColumnReferences(planned.schema, planned.rows, planned.plan.rows);
  const encoded = encode(table, planned, config, {
    bins: needsBins,
    values: Boolean(needsValues) || strict,
    helped,
    onColumn: (column) => {
      profiling.add(column);
      references?.add(column);
    },
  });
  const data = planned.framing ? { ...encoded, frame: planned.framing.frame } : encoded;
  const profile = profiling.pack();
  const warnings = [
    ...planned.plan.warnings,
    ...implausibleWarnings(unpackDataProfile(profile), planned.task),
  ];
  const target = sharedCopy(planned.target);
  const weights = planned.weights ? sharedCopy(planned.weights) : null;
  return {
    plan: { ...planned.plan, warnings },
    task: planned.task,
    schema: planned.schema,
    savedFrame: planned.framing?.saved ?? null,
    series: planned.framing?.series ?? null,
    data,
    tableRows: planned.rows && sharedRows(planned.rows),
    foldData: strict
      ? planned.folds.map((fold, index) => rebinned(data, fold, index, config))
      : null,
    target,
    fitTarget: target,
    softTarget: null,
    weights,
    groups: planned.groups && sharedRows(planned.groups),
    fitWeights: weights,
    folds: planned.folds.map(({ train, valid, latest }) => ({
      train: sharedRows(train),
      valid: sharedRows(valid),
      ...(latest ? { latest: sharedRows(latest) } : {}),
    })),
    monotone: planned.monotone,
    profile,
    columnReferences: references?.pack() ?? null,
    rowSketch: planned.rowSketch,
    taught: null,
    contention: 1,
  };
}

/** Bins lie by the data's own rows: augmented ones below them follow. */
function encode(
  table: Table,
  planned: PlannedTable,
  config: RunConfig,
  form: {
    readonly bins: boolean;
    readonly values: boolean;
    readonly helped: Helped | null;
    readonly onColumn: (column: Column) => void;
  },
): EncodedData {
  const { rows, target, schema } = planned;
  const fit = { key: deriveKey(config.randomState, "binning") };
  const arena = form.helped ? Arena.attach(form.helped.arena) : Arena.create();
  return withBundles(
    encodeFeatures(schema, table, arena, {
      share: form.helped && shareColumns(form.helped.desk),
      bins: form.bins ? binsToFit(fit, rows?.length ?? target.length) : null,
      values: form.values,
      rows,
      onColumn: form.onColumn,
    }),
  );
}

/** The fold's own bins: fitted on its training rows alone. */
function rebinned(data: EncodedData, fold: Fold, index: number, config: RunConfig): EncodedData {
  const key = deriveKey(config.randomState, "binning", index);
  return withBundles(rebin(data, fold.train, { key }));
}
