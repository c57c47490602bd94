/** The table that the contract of warehouses reads: values at the edges of every type, and odd texts. */

import type { TextRow } from "./warehouse-rows.ts";

export interface ContractColumn {
  readonly name: string;
  /** Apache Arrow's name of the type that `describe` gives. */
  readonly arrow: string;
  readonly postgres: string;
  readonly trino: string;
}

export const CONTRACT_COLUMNS: readonly ContractColumn[] = [
  { name: "id", arrow: "Int64", postgres: "bigint", trino: "bigint" },
  { name: "small", arrow: "Int16", postgres: "smallint", trino: "smallint" },
  { name: "medium", arrow: "Int32", postgres: "integer", trino: "integer" },
  { name: "flag", arrow: "Bool", postgres: "boolean", trino: "boolean" },
  { name: "score", arrow: "Float64", postgres: "double precision", trino: "double" },
  { name: "ratio", arrow: "Float32", postgres: "real", trino: "real" },
  { name: "price", arrow: "Decimal[12e+2]", postgres: "numeric(12,2)", trino: "decimal(12,2)" },
  { name: "wide", arrow: "Decimal[38e+10]", postgres: "numeric(38,10)", trino: "decimal(38,10)" },
  { name: "name", arrow: "Utf8", postgres: "text", trino: "varchar" },
  { name: "code", arrow: "Utf8", postgres: "char(5)", trino: "char(5)" },
  { name: "data", arrow: "Binary", postgres: "bytea", trino: "varbinary" },
  { name: "born", arrow: "Date32<DAY>", postgres: "date", trino: "date" },
  { name: "clock", arrow: "Time64<MICROSECOND>", postgres: "time(6)", trino: "time(6)" },
  {
    ...{ name: "seen", arrow: "Timestamp<MICROSECOND>" },
    ...{ postgres: "timestamp(6)", trino: "timestamp(6)" },
  },
  {
    ...{ name: "at", arrow: "Timestamp<MICROSECOND, UTC>" },
    ...{ postgres: "timestamptz(6)", trino: "timestamp(6) with time zone" },
  },
];

/** A text with all that a careless statement would trip over. */
export const HOSTILE =
  "'; DROP TABLE contract_rows; -- \\'; SELECT 1; /* \" $1 $$ E'\\x27' {} ? :name\r\n\t,\"quoted\",";

/** Values as DuckDB writes them, bytes in hex; the first is the id. */
export const CONTRACT_ROWS: readonly TextRow[] = [
  row("1 2 3 true 1.5 0.25 12.50 0.1000000000", "Ada", "ab", "00ff", "2024-02-29 10:05:00"),
  row("2 -2 -3 false -0.0 -0.1 -0.01 -1.0000000000", "", "", "", "1970-01-01 00:00:00"),
  [
    ...["3", "-32768", "-2147483648", "false", "1.7976931348623157e+308", "3.4028235e+38"],
    ...["9999999999.99", "9999999999999999999999999999.9999999999", "a,b", "a b", "2c"],
    ...["9999-12-31", "23:59:59.999999", "9999-12-31 23:59:59.999999"],
    "9999-12-31 23:59:59.999999+00",
  ],
  [
    ...["-9223372036854775808", "32767", "2147483647", "true", "-1.7976931348623157e+308"],
    ...["-3.4028235e+38", "-9999999999.99", "-9999999999999999999999999999.9999999999"],
    ...['say "hi"', '"', "22", "0001-01-01", "00:00:00", "0001-01-01 00:00:00"],
    "0001-01-01 00:00:00+00",
  ],
  [
    ...["9223372036854775807", "0", "0", "true", "5e-324", "1e-45", "0.00", "0.0000000001"],
    ...["two\nlines\r\nand\ttab", "\\.", "5c2e0a", "2000-02-29", "12:30:45.5"],
    ...["2000-02-29 12:30:45.5", "2000-02-29 12:30:45.5+00"],
  ],
  ["6", ...Array.from({ length: CONTRACT_COLUMNS.length - 1 }, () => null)],
  [...["7", null, null, null, "nan", "nan", null, null, "NULL", "null"], ...nulls(5)],
  [...["8", null, null, null, "inf", "inf", null, null, "žluťoučký 🐎 漢字", "é"], ...nulls(5)],
  [...["9", null, null, null, "-inf", "-inf", null, null, HOSTILE, "'"], ...nulls(5)],
  [...["9007199254740993", null, null, null, "0.1", "0.1", null, null, " ", null], ...nulls(5)],
  [...["11", "1", "1", null, "9007199254740992.0", null, null, null, "ada", "AB"], ...nulls(5)],
  row("12 2 3 true 2.5 0.5 12.51 0.2000000000", "Adam", "b", "0a", "2024-03-01 00:00:00.000001"),
];

function row(numbers: string, name: string, code: string, data: string, time: string): TextRow {
  const [date = "", clock = ""] = time.split(" ");
  return [...numbers.split(" "), name, code, data, date, clock, time, `${time}+00`];
}

function nulls(count: number): null[] {
  return Array.from({ length: count }, () => null);
}
