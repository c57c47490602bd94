/** How long the model takes to predict: what its user waits for. */

import { tableFromMatrix } from "../../data/records.ts";
import type { Model } from "../../model/model.ts";
import type { DataProfile } from "../../trainer/data-profile.ts";

const ROWS = 1000;

/** @param sample at least one row; they are repeated up to `ROWS` */
export function predictingTime(
  model: Model,
  { columns, data }: DataProfile["sample"],
): { readonly rows: number; readonly seconds: number } {
  const rows = Array.from({ length: ROWS }, (_, row) => data[row % data.length]);
  const { table } = tableFromMatrix(columns, rows, model.document.schema);
  // The first call makes what later ones reuse.
  model.predict(table);
  const began = performance.now();
  model.predict(table);
  return { rows: ROWS, seconds: (performance.now() - began) / 1000 };
}
