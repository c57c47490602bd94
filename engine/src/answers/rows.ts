/** Rows as a request gives them, and how a model reads them. */

import type { FeatureSchema } from "../data/feature-schema.ts";
import type { Frame } from "../data/frame.ts";
import type { TableReading } from "../data/readers/reading.ts";
import { type Row, tableFromMatrix, tableFromRecords } from "../data/records.ts";
import type { Model } from "../model/model.ts";
import type { ReadOptions } from "../tasks/framing.ts";
import { typeOf } from "../tasks/index.ts";

/** What is to be forecast; of nothing at all, all series are, as far as the model was trained for. */
export interface ForecastRows {
  /** Values that are known, as rows with the label; they go on with those of the training data. */
  readonly history?: readonly Row[] | undefined;
  /** Steps to forecast, as rows without the label, with what is known of them. */
  readonly future?: readonly Row[] | undefined;
  /** Steps of series that `future` has none of. */
  readonly horizon?: number | undefined;
  /** Series to forecast, by the values of their columns; absent: those of the rows, or all. */
  readonly series?: readonly Row[] | undefined;
}

/** Rows as a request gives them: objects, or column names and lists of cells; or what to forecast. */
export type Rows =
  | { readonly instances: readonly Row[] }
  | { readonly columns: readonly string[]; readonly data: readonly (readonly unknown[])[] }
  | ForecastRows;

/** What the rows of a model's requests are: predicted one by one, steps of sequences, or of series. */
export type RowsKind = "rows" | Frame["kind"];

/** What a model takes the rows of a request for: it decides which members a request for it may have. */
export function rowsKindOf({ document }: Pick<Model, "document">): RowsKind {
  return typeOf(document.task).framing?.kind ?? "rows";
}

export interface ReadRows extends TableReading {
  readonly options: ReadOptions;
}

/**
 * @param most predictions of sequences or steps that are made at once; more are refused
 * @throws DataError where the rows are not the model's
 */
export function readRows(
  model: Pick<Model, "document" | "rowSchema">,
  rows: Rows,
  most: number | undefined,
): ReadRows {
  const { rowSchema: schema } = model;
  const options = { most };
  if ("instances" in rows) return { ...tableFromRecords(rows.instances, schema), options };
  if ("columns" in rows) return { ...tableFromMatrix(rows.columns, rows.data, schema), options };
  return readForecast(rows, schema, options);
}

function readForecast(
  { history = [], future = [], horizon, series }: ForecastRows,
  schema: FeatureSchema,
  options: ReadOptions,
): ReadRows {
  const historyRows = history.length;
  const all = [...history, ...future];
  const reading: TableReading =
    all.length === 0
      ? { table: { rows: 0, columns: [] }, warnings: [] }
      : tableFromRecords(all, schema, (row) =>
          row < historyRows ? `history[${row}]` : `future[${row - historyRows}]`,
        );
  return { ...reading, options: { ...options, historyRows, horizon, series } };
}
