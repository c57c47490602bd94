/** What numbers a column may hold: those a perturbed cell must stay among. */

import type { NumericColumn, TimestampColumn } from "../data/table.ts";

/** Columns with at most this many distinct numbers keep to them, as categories do. */
const FEW_VALUES = 32;

export interface ColumnValues {
  readonly low: number;
  readonly high: number;
  /** Standard deviation of what is finite. */
  readonly deviation: number;
  /** Few distinct numbers: no others occur. */
  readonly discrete: boolean;
  /** The value of the column's grid that is nearest, within its range. */
  legal(value: number): number;
}

export function valuesOf(column: NumericColumn | TimestampColumn): ColumnValues {
  const finite = column.values.filter(Number.isFinite);
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let sum = 0;
  const distinct = new Set<number>();
  for (const value of finite) {
    low = Math.min(low, value);
    high = Math.max(high, value);
    sum += value / finite.length;
    if (distinct.size <= FEW_VALUES) distinct.add(value);
  }
  let squares = 0;
  for (const value of finite) squares += (value - sum) ** 2 / finite.length;
  const snap = column.kind === "timestamp" ? timeGrid(finite) : decimalGrid(finite);
  return {
    low,
    high,
    deviation: Math.sqrt(squares),
    discrete: distinct.size <= FEW_VALUES,
    legal: (value) => Math.min(high, Math.max(low, snap(value))),
  };
}

/** Whole numbers stay whole; prices in cents stay so. */
function decimalGrid(values: Float64Array): (value: number) => number {
  for (const scale of [1, 10, 100, 1000]) {
    if (values.every((value) => Math.round(value * scale) / scale === value)) {
      return (value) => Math.round(value * scale) / scale;
    }
  }
  return (value) => value;
}

const TIME_UNITS = [86_400_000, 3_600_000, 60_000, 1000, 1];

function timeGrid(values: Float64Array): (value: number) => number {
  const unit = TIME_UNITS.find((each) => values.every((value) => value % each === 0)) ?? 1;
  return (value) => Math.round(value / unit) * unit;
}
