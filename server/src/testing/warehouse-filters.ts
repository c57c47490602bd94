/** Filters over the table of the contract of warehouses. */

import type { ScanFilter, ScanOperator, ScanValue } from "../query/sources/scan-filter.ts";
import { CONTRACT_COLUMNS, HOSTILE } from "./warehouse-table.ts";

export function compared(column: string, op: ScanOperator, value: ScanValue): ScanFilter {
  return { kind: "comparison", column, op, value };
}

/** Two constants beside each other see all operators. */
const OPERATORS: readonly (readonly ScanOperator[])[] = [
  ["eq", "lt", "ge"],
  ["ne", "eq", "le", "gt"],
];

/** Constants for each column, of its own type and at its edges. */
const CONSTANTS: readonly (readonly [string, ScanValue])[] = [
  ...[
    "0",
    "9007199254740993",
    "-9223372036854775808",
    "170141183460469231731687303715884105727",
  ].map((value) => ["id", { type: "number", value }] as const),
  ["small", { type: "number", value: "2" }],
  ["medium", { type: "number", value: "2147483647" }],
  ["medium", { type: "number", value: "2.5" }],
  ["flag", { type: "boolean", value: true }],
  ...[0, -0, 1.5, 0.1, 5e-324, 1.7976931348623157e308, -1e-7, 9007199254740992].map(
    (value) => ["score", { type: "double", value }] as const,
  ),
  ...[0.1, Math.fround(0.1), 0.25, 3.4028234663852886e38].map(
    (value) => ["ratio", { type: "double", value }] as const,
  ),
  ...["12.5", "12.50", "0", "-9999999999.99"].map(
    (value) => ["price", { type: "number", value }] as const,
  ),
  ["wide", { type: "number", value: "0.0000000001" }],
  ["wide", { type: "number", value: "9999999999999999999999999999.9999999999" }],
  ...[
    "Ada",
    "",
    "a",
    "ada",
    " ",
    "NULL",
    "žluťoučký 🐎 漢字",
    HOSTILE,
    "two\nlines\r\nand\ttab",
  ].map((value) => ["name", { type: "text", value }] as const),
  ...["ab", "ab ", "", "AB", "a b", "'", "é", "longer than the column"].map(
    (value) => ["code", { type: "text", value }] as const,
  ),
  ["born", { type: "date", value: "2024-02-29" }],
  ["born", { type: "date", value: "0001-01-01" }],
  ["seen", { type: "timestamp", value: "2024-02-29T10:05:00" }],
  ["seen", { type: "timestamp", value: "2024-03-01T00:00:00.000001" }],
  ["at", { type: "timestamptz", value: "2024-03-01T00:00:00.000001Z" }],
  ["at", { type: "timestamptz", value: "9999-12-31T23:59:59.999999Z" }],
];

/** Every operator with constants of every type. */
export const FILTERS: readonly ScanFilter[] = [
  ...CONSTANTS.flatMap(([column, value], index) =>
    OPERATORS[index % OPERATORS.length]!.map((op) => compared(column, op, value)),
  ),
  ...CONTRACT_COLUMNS.flatMap(({ name: column }): ScanFilter[] => [
    { kind: "is_null", column },
    { kind: "is_not_null", column },
    {
      ...{ kind: "in", column },
      values: CONSTANTS.filter(([of]) => of === column).map(([, value]) => value),
    },
  ]),
  { kind: "and", filters: [] },
  { kind: "or", filters: [] },
  {
    kind: "or",
    filters: [
      { kind: "is_null", column: "name" },
      {
        kind: "and",
        filters: [
          compared("score", "gt", { type: "double", value: 1 }),
          compared("name", "ge", { type: "text", value: "A" }),
          { kind: "is_not_null", column: "data" },
        ],
      },
    ],
  },
];

/** Filters after which a source gives no row too many, and the ids it gives. */
export const PUSHED: readonly (readonly [ScanFilter, readonly string[]])[] = [
  [compared("id", "eq", { type: "number", value: "9007199254740993" }), ["9007199254740993"]],
  [compared("flag", "eq", { type: "boolean", value: false }), ["2", "3"]],
  [compared("score", "gt", { type: "double", value: 1e300 }), ["3", "7", "8"]],
  [compared("price", "ge", { type: "number", value: "12.505" }), ["3", "12"]],
  [compared("name", "eq", { type: "text", value: HOSTILE }), ["9"]],
  [compared("name", "eq", { type: "text", value: "" }), ["2"]],
  [
    compared("name", "ge", { type: "text", value: "say" }),
    ["-9223372036854775808", "8", "9223372036854775807"],
  ],
  [compared("code", "eq", { type: "text", value: "ab" }), ["1"]],
  [compared("born", "lt", { type: "date", value: "1970-01-01" }), ["-9223372036854775808"]],
  [compared("at", "eq", { type: "timestamptz", value: "2024-03-01T00:00:00.000001Z" }), ["12"]],
  [{ kind: "in", column: "small", values: [{ type: "number", value: "-32768" }] }, ["3"]],
  [
    {
      kind: "and",
      filters: [
        { kind: "is_null", column: "born" },
        { kind: "is_not_null", column: "medium" },
      ],
    },
    ["11"],
  ],
];
