/**
 * What a query writes into a file is nowhere counted while it runs: this looks how large the file has
 * become, and how much room its disk has left, since DuckDB would go on until there is none.
 */

import { stat, statfs } from "node:fs/promises";
import { errorCode } from "../../../platform/db/sql.ts";
import { SqlError } from "../query.ts";

/** What the rest of the service can go on with. */
const RESERVE_BYTES = 1 << 30;
/** Of a disk that is small as a whole. */
const RESERVE_SHARE = 0.05;
/** Files up to this may use the reserve. */
const SMALL_BYTES = 64 << 20;

const GIB = 1 << 30;

/** @returns why the query must end; null = it may go on, as where nothing is written yet */
export async function excessOf(path: string, mostBytes: number): Promise<SqlError | null> {
  try {
    const { size } = await stat(path);
    if (size > mostBytes) return tooLarge(mostBytes);
    if (size <= SMALL_BYTES) return null;
    const { bavail, blocks, bsize } = await statfs(path);
    const reserve = Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE);
    return bavail * bsize < reserve ? diskIsFull() : null;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

const tooLarge = (mostBytes: number): SqlError =>
  new SqlError(
    "resources",
    `The result is larger than the ${Number((mostBytes / GIB).toPrecision(3))} GiB that a file may have: select fewer rows or columns`,
  );

const diskIsFull = (): SqlError =>
  new SqlError(
    "disk-full",
    "The disk of the service is nearly full, and has no room for the rest of the result",
  );
