/** Fixed-width values that DuckDB and Arrow lay out differently. */

import type { ValueWriter } from "./fixed-builders.ts";

/** A decimal of 16, 32 or 64 bits, which Arrow's 128 hold with the sign extended. */
export function decimalWriter(bytes: 2 | 4 | 8): ValueWriter {
  return (source, target, start, { count, isValid }) => {
    for (let i = 0; i < count; i++) {
      if (!isValid(i)) continue;
      const at = start + 16 * i;
      if (bytes === 8) {
        const high = source.getInt32(8 * i + 4, true);
        target.setInt32(at, source.getInt32(8 * i, true), true);
        target.setInt32(at + 4, high, true);
        target.setInt32(at + 8, high >> 31, true);
        target.setInt32(at + 12, high >> 31, true);
      } else {
        const value = bytes === 2 ? source.getInt16(2 * i, true) : source.getInt32(4 * i, true);
        target.setInt32(at, value, true);
        for (let word = 4; word < 16; word += 4) target.setInt32(at + word, value >> 31, true);
      }
    }
  };
}

const HUGEINT_LIMIT = 10n ** 38n;
const LIMIT_HIGH = HUGEINT_LIMIT >> 64n;

/** DuckDB's HUGEINT has the bits of a decimal of 128; those beyond 38 digits have no decimal. */
export const writeHugeint: ValueWriter = (source, target, start, { count, isValid }) => {
  for (let i = 0; i < count; i++) {
    if (!isValid(i)) continue;
    const low = source.getBigUint64(16 * i, true);
    const high = source.getBigInt64(16 * i + 8, true);
    // Far from the limit the upper half alone tells.
    if (high >= LIMIT_HIGH || high <= -LIMIT_HIGH) {
      const value = (high << 64n) | low;
      if (value >= HUGEINT_LIMIT || value <= -HUGEINT_LIMIT)
        throw new Error(
          `the HUGEINT ${value} has more than the 38 digits of Arrow's decimal; cast it to VARCHAR or DOUBLE`,
        );
    }
    target.setBigUint64(start + 16 * i, low, true);
    target.setBigInt64(start + 16 * i + 8, high, true);
  }
};

/** The lower half of a decimal of 256 bits. */
export const writeUhugeint: ValueWriter = (source, target, start, { count, isValid }) => {
  for (let i = 0; i < count; i++) {
    if (!isValid(i)) continue;
    target.setBigUint64(start + 32 * i, source.getBigUint64(16 * i, true), true);
    target.setBigUint64(start + 32 * i + 8, source.getBigUint64(16 * i + 8, true), true);
  }
};

const MAX_MICROSECONDS = (1n << 63n) / 1000n;

/** Months and days as they are, microseconds as nanoseconds. */
export const writeInterval: ValueWriter = (source, target, start, { count, isValid }) => {
  for (let i = 0; i < count; i++) {
    if (!isValid(i)) continue;
    const microseconds = source.getBigInt64(16 * i + 8, true);
    if (microseconds >= MAX_MICROSECONDS || microseconds <= -MAX_MICROSECONDS)
      throw new Error(
        `an INTERVAL of ${microseconds} microseconds is beyond Arrow's nanoseconds; cast it to VARCHAR`,
      );
    target.setInt32(start + 16 * i, source.getInt32(16 * i, true), true);
    target.setInt32(start + 16 * i + 4, source.getInt32(16 * i + 4, true), true);
    target.setBigInt64(start + 16 * i + 8, microseconds * 1000n, true);
  }
};

const INFINITE_DAYS = 2 ** 31 - 1;
const INFINITE_TIME = (1n << 63n) - 1n;

/** Days since 1970. Arrow has no infinite ones: readers take DuckDB's for a day of the year 5881580. */
export const writeDate: ValueWriter = (source, target, start, { count, isValid }) => {
  for (let i = 0; i < count; i++) {
    if (!isValid(i)) continue;
    const days = source.getInt32(4 * i, true);
    if (Math.abs(days) === INFINITE_DAYS) throw infinite("DATE", days > 0);
    target.setInt32(start + 4 * i, days, true);
  }
};

/** Of any unit, since 1970; none that is infinite, as with dates. */
export const writeTimestamp: ValueWriter = (source, target, start, { count, isValid }) => {
  for (let i = 0; i < count; i++) {
    if (!isValid(i)) continue;
    const time = source.getBigInt64(8 * i, true);
    if (time === INFINITE_TIME || time === -INFINITE_TIME) throw infinite("TIMESTAMP", time > 0n);
    target.setBigInt64(start + 8 * i, time, true);
  }
};

function infinite(type: string, isPositive: boolean): Error {
  return new Error(
    `the ${type} ${isPositive ? "infinity" : "-infinity"} cannot be represented in Arrow; cast it to VARCHAR, or leave it out with isfinite`,
  );
}
