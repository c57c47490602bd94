/**
 * Times that are finer than milliseconds since 1970 tell as a double: below a microsecond anywhere, and
 * microseconds where a double's last place is larger than one.
 */

import { shown } from "../shown.ts";
import type { DataWarning } from "./reading.ts";
import { hasFraction } from "./timestamp-text.ts";

/** Milliseconds from 1970 up to which each microsecond is a double of its own: those of 278 years. */
const MICROSECONDS_TOLD = 2 ** 43;

/** Whether a time lies so far from 1970 that not each of its microseconds is told. @param time milliseconds */
export const isFar = (time: number): boolean => Math.abs(time) > MICROSECONDS_TOLD;

/** Whether a time, written in bytes[start, end), is finer than a microsecond. */
export const isFinerText = (bytes: Uint8Array, start: number, end: number): boolean =>
  hasFraction(bytes, start, end, 6);

/** Whether a time that `isFar` is written with microseconds. */
export const hasMicroseconds = (bytes: Uint8Array, start: number, end: number): boolean =>
  hasFraction(bytes, start, end, 3);

/** First rows, from 1, of times that are finer than a microsecond, and of far ones with microseconds; 0 = none is such. */
export interface FineRows {
  finer: number;
  far: number;
}

/** @param hint how all digits are kept */
export function fineWarnings(name: string, { finer, far }: FineRows, hint: string): DataWarning[] {
  return [
    ...told(
      name,
      finer,
      "times finer than a microsecond",
      `they are read to a quarter of a microsecond or so, and those closer to each other may become one. ${hint}`,
    ),
    ...told(
      name,
      far,
      "times with microseconds before 1692 or after 2247",
      `so far from 1970 they are read to a few microseconds, and those closer to each other may become one. ${hint}`,
    ),
  ];
}

function told(name: string, row: number, what: string, follows: string): DataWarning[] {
  if (row === 0) return [];
  const message = `Column ${shown(name)} has ${what}, first in row ${row}; ${follows}`;
  return [{ message, column: name, row }];
}

/** Of texts, which are kept as they stand where no time is made of them. */
export const FINE_TEXTS = "Declare its kind as categorical or text to keep all digits.";
