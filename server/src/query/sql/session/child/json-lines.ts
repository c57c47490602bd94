/**
 * The line of a JSON file that DuckDB's reader speaks of: it counts records instead, lines but blank ones or
 * values, and takes those that are no JSON for the ones behind them.
 */

import { resolve, sep } from "node:path";
import { unpacked } from "./packed-file.ts";

const [LINE_FEED, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Tab, carriage return and their like, and the space. */
const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

const PLACE =
  /(Malformed JSON|JSON transform error) in file "([^"]+)",(?: at byte \d+)? in (line|record\/value) (\d+):/;

/** The number of a record that is no JSON, from 1. @param told DuckDB's */
export const malformedRecord = (told: string): number => Number(told) - 1;

/**
 * Null where the message is of no record, or its file cannot be read any more.
 *
 * @param message DuckDB's; a statement may make one of its own, which leads to no file out of the folder
 * @returns from 1
 */
export async function jsonLineOf(message: string, folder: string): Promise<number | null> {
  const [, fault, path = "", unit, told = ""] = PLACE.exec(message) ?? [];
  const file = resolve(folder, path);
  if (fault === undefined || !file.startsWith(`${folder}${sep}`)) return null;
  const record = fault === "Malformed JSON" ? malformedRecord(told) : Number(told);
  try {
    return await (unit === "line" ? lineOfLine(file, record) : lineOfValue(file, record));
  } catch (error) {
    // The message tells the fault without it, whatever has become of the file.
    if (error instanceof Error && "code" in error) return null;
    throw error;
  }
}

/** Of the lines that are not blank. */
async function lineOfLine(path: string, record: number): Promise<number | null> {
  let line = 1;
  let records = 0;
  let isFilled = false;
  for await (const bytes of unpacked(path)) {
    for (const byte of bytes) {
      if (byte === LINE_FEED) {
        line++;
        isFilled = false;
      } else if (!isFilled && !isBlank(byte)) {
        isFilled = true;
        if (++records === record) return line;
      }
    }
  }
  return null;
}

/** Of the values of an array, or one behind another, where they begin; those before the record are JSON. */
async function lineOfValue(path: string, record: number): Promise<number | null> {
  let line = 1;
  let records = 0;
  /** 1 within an array; null before the first byte tells. */
  let level: number | null = null;
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isScalar = false;
  for await (const bytes of unpacked(path)) {
    for (const byte of bytes) {
      if (byte === LINE_FEED) line++;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isText = false;
        continue;
      }
      if (isBlank(byte) || byte === COMMA) {
        isScalar = false;
        continue;
      }
      const isArray: boolean = level === null && byte === OPEN_LIST;
      level ??= isArray ? 1 : 0;
      const isClosing = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
      if (!isArray && depth === level && !isScalar && !isClosing) {
        if (++records === record) return line;
        isScalar = byte !== OPEN_LIST && byte !== OPEN_OBJECT;
      }
      if (byte === QUOTE) isText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++;
      else if (isClosing) depth--;
    }
  }
  return null;
}
