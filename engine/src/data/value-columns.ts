/** The values of encoded data, feature by feature. */

import { Arena } from "../compute/arena.ts";
import type { EncodedData } from "./encoded.ts";

/** One feature's cells, wherever they lie: f64, column-major, in the arena that workers share. */
export function valueColumns(data: EncodedData): (feature: number) => Float64Array {
  const { values, rows } = data;
  if (values === null) throw new Error("The family reads values, and none were encoded.");
  const arena = Arena.attach(data.arena);
  return (feature) => arena.f64(values + feature * rows * Float64Array.BYTES_PER_ELEMENT, rows);
}
