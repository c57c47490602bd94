/**
 * Ids of logged predictions. An id says when its request was answered and how many rows it had, under a
 * code that only this service makes: feedback is checked by its id alone, in any process, before the log
 * is written and without a look at it.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Milliseconds since 1970, rows, chance; and the code. */
const TIME = 6;
const ROWS = 4;
const CHANCE = 6;
const SAID = TIME + ROWS + CHANCE;
const CODE = 8;
const FORM = /^[A-Za-z0-9_-]{32}$/;

/** What an id says of its request. */
export interface Predicted {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly rows: number;
}

/** @returns 32 characters of base64url */
export function newPredictionId(
  key: Uint8Array,
  endpointId: string,
  { time, rows }: Predicted,
): string {
  const said = Buffer.alloc(SAID);
  said.writeUIntBE(time, 0, TIME);
  said.writeUIntBE(rows, TIME, ROWS);
  randomBytes(CHANCE).copy(said, TIME + ROWS);
  return Buffer.concat([said, codeOf(key, endpointId, said)]).toString("base64url");
}

/**
 * @param keys the present one and earlier ones
 * @returns null where it is no id of the endpoint
 */
export function readPredictionId(
  keys: readonly Uint8Array[],
  endpointId: string,
  id: string,
): Predicted | null {
  if (!FORM.test(id)) return null;
  const bytes = Buffer.from(id, "base64url");
  const said = bytes.subarray(0, SAID);
  const code = bytes.subarray(SAID);
  if (!keys.some((key) => timingSafeEqual(code, codeOf(key, endpointId, said)))) return null;
  return { time: said.readUIntBE(0, TIME), rows: said.readUIntBE(TIME, ROWS) };
}

const codeOf = (key: Uint8Array, endpointId: string, said: Uint8Array): Buffer =>
  createHmac("sha256", key).update(endpointId).update(said).digest().subarray(0, CODE);
