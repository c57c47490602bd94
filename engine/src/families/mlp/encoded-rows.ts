/** Rows and shape of a network as a device reads them: `shaders/network-inputs.ts` says how they lie. */

import {
  UNIT_LEARNED,
  UNIT_MARK,
  UNIT_NONE,
  UNIT_NUMBER,
  UNIT_WORDS,
} from "../../shaders/network-inputs.ts";
import type { NetworkInputs } from "./inputs.ts";
import { EMBEDDED_WIDTH, type NetworkLayout, type NetworkShape, numberWidth } from "./layout.ts";

/** Words of an encoded row. */
export const rowWords = ({ numbers, pieces, oneHot, embedded, statistics }: NetworkShape): number =>
  numbers * (pieces > 0 ? 2 : 1) + oneHot.length + embedded.length + statistics;

/** @param out rows × `rowWords`; f32 as their bits */
export function encodeRows(inputs: NetworkInputs, shape: NetworkShape, out: Uint32Array): void {
  const { rows } = inputs;
  const words = rowWords(shape);
  let word = 0;
  const put = (columns: Float32Array | Int32Array): void => {
    const bits = new Uint32Array(columns.buffer, columns.byteOffset, columns.length);
    for (let from = 0; from < bits.length; from += rows) {
      for (let row = 0; row < rows; row++) out[row * words + word] = bits[from + row];
      word++;
    }
  };
  put(inputs.numbers);
  if (shape.pieces > 0) put(inputs.places);
  put(inputs.oneHot);
  put(inputs.embedded);
  put(inputs.statistics);
}

export interface InputTables {
  /** Units of a row: its numbers, and what `unitTable` lists. */
  readonly units: number;
  /** Four words each. */
  readonly unitTable: Uint32Array;
  /** Rows of the tables of embedded categories, four words each: word, code, first parameter, first column. */
  readonly tables: Uint32Array;
}

export function inputTables(shape: NetworkShape, layout: NetworkLayout): InputTables {
  const { numbers, pieces, oneHot, embedded, statistics } = shape;
  const units: number[] = [];
  const tables: number[] = [];
  let word = numbers * (pieces > 0 ? 2 : 1);
  let column = numbers * numberWidth(shape);
  for (const columns of oneHot) {
    for (let c = 0; c < columns; c++) units.push(UNIT_MARK, word, c, 0);
    word++;
    column += columns;
  }
  const starts = layout.tensors.filter(({ role }) => role === "embedding");
  embedded.forEach((categories, t) => {
    const { start } = starts[t];
    for (let c = 0; c < EMBEDDED_WIDTH; c++) units.push(UNIT_LEARNED, word, start, c);
    for (let code = 0; code <= categories; code++) {
      tables.push(word, code, start + code * EMBEDDED_WIDTH, column);
    }
    word++;
    column += EMBEDDED_WIDTH;
  });
  for (let c = 0; c < statistics; c++) units.push(UNIT_NUMBER, word++, 0, 0);
  const filling = layout.inputWidth - layout.inputs;
  for (let c = 0; c < filling; c++) units.push(UNIT_NONE, 0, 0, 0);
  return {
    units: numbers + units.length / UNIT_WORDS,
    unitTable: Uint32Array.from(units),
    tables: Uint32Array.from(tables),
  };
}
