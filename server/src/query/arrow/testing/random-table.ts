/** Random SQL that makes tables of all types with NULLs, the same rows each time that it runs. */

import fc from "fast-check";

/** Expressions over `n`, a UBIGINT that is random for each row. */
const LEAVES: readonly string[] = [
  "n % 2 = 0",
  "(n % 256)::INTEGER::UTINYINT",
  "(n % 256 - 128::HUGEINT)::TINYINT",
  "(n % 65536)::USMALLINT",
  "(n % 65536 - 32768::HUGEINT)::SMALLINT",
  "(n % 4294967296)::UINTEGER",
  "(n % 4294967296 - 2147483648::HUGEINT)::INTEGER",
  "n",
  "(n::HUGEINT - 9223372036854775808)::BIGINT",
  "n::HUGEINT * (n % 1000000) - 7",
  "n::UHUGEINT * n",
  "([1.5, 'NaN', 'inf', '-inf', '-0.0', 1e300]::DOUBLE[])[(n % 6)::INTEGER + 1]",
  "(n % 1000003)::DOUBLE / 7",
  "((n % 1000003)::DOUBLE / 7)::FLOAT",
  "((n % 19999)::INTEGER - 9999)::DECIMAL(4, 0)",
  "((n % 1999999)::INTEGER - 999999)::DECIMAL(9, 3)",
  "((n::HUGEINT - 9223372036854775808) % 1000000000000)::DECIMAL(18, 5)",
  "((n::HUGEINT - 9223372036854775808) * (n % 100000))::DECIMAL(38, 10)",
  "DATE '1970-01-01' + ((n % 60000)::INTEGER - 30000)",
  "TIME '00:00:00' + to_microseconds((n % 86400000000)::BIGINT)",
  "(TIME '00:00:00' + to_microseconds((n % 86400000000)::BIGINT))::TIME_NS",
  "(TIME '00:00:00' + to_microseconds((n % 86400000000)::BIGINT))::TIMETZ",
  "make_timestamp((n::HUGEINT - 9223372036854775808)::BIGINT // 10)",
  "make_timestamp((n % 4000000000000000)::BIGINT)::TIMESTAMP_S",
  "make_timestamp((n % 4000000000000000)::BIGINT)::TIMESTAMP_MS",
  "make_timestamp((n % 4000000000000000)::BIGINT)::TIMESTAMP_NS",
  "make_timestamp((n % 4000000000000000)::BIGINT)::TIMESTAMPTZ",
  "to_months((n % 500)::INTEGER - 250) + to_days((n % 77)::INTEGER) + to_microseconds((n % 1000000000)::BIGINT)",
  "''",
  "'t' || (n % 100)",
  "'größe 🦆 ' || n",
  "repeat('long text ', (n % 60)::INTEGER)",
  "encode('b' || n)",
  "md5(n::VARCHAR)::UUID",
  "(n % 1024)::INTEGER::BIT",
  "(n::HUGEINT * 1000003)::BIGNUM",
  "((n % 3)::INTEGER)::VARCHAR::ENUM('0', '1', '2')",
  "('{\"a\": ' || n || '}')::JSON",
  "CASE WHEN n % 3 = 0 THEN ('t' || n)::UNION(i INTEGER, t VARCHAR) ELSE (n % 100)::INTEGER::UNION(i INTEGER, t VARCHAR) END",
];

function nullable(expression: string, every: number): string {
  return every === 0 ? expression : `CASE WHEN n % ${every} = 1 THEN NULL ELSE ${expression} END`;
}

const leaf = fc.constantFrom(...LEAVES);
const nulls = fc.constantFrom(0, 2, 3, 7);

function expressionOf(depth: number): fc.Arbitrary<string> {
  const value = fc
    .tuple(depth === 0 ? leaf : nestedOf(depth), nulls)
    .map(([expression, every]) => nullable(expression, every));
  return value;
}

function nestedOf(depth: number): fc.Arbitrary<string> {
  const inner = expressionOf(depth - 1);
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    // Lists of many lengths, empty ones too; each item is of its own n.
    inner.map((item) => `list_transform(range((n % 4)::INTEGER), lambda x: ${forItem(item)})`),
    fc.tuple(inner, inner).map(([a, b]) => `{'a': ${a}, 'b c': ${b}}`),
    inner.map((item) => `map(['k', 'key ' || n]::VARCHAR[], [${item}, ${item}])`),
  );
}

/** Arrays of fixed size; DuckDB has no CASE over them, so they stand alone. */
const arrays = fc.oneof(
  expressionOf(1).map((item) => `array_value(${item}, ${item}, NULL)`),
  fc.constantFrom(
    "(CASE WHEN n % 3 = 0 THEN NULL ELSE [n % 10, NULL, 1] END)::UBIGINT[3]",
    "(CASE WHEN n % 3 = 0 THEN NULL ELSE [['a' || n, NULL], NULL] END)::VARCHAR[2][2]",
    "(CASE WHEN n % 3 = 0 THEN NULL ELSE [{'a': n % 2 = 0}] END)::STRUCT(a BOOLEAN)[1]",
  ),
);

function forItem(item: string): string {
  return item.replace(/\bn\b/g, "(hash(n, x))");
}

export interface RandomTable {
  readonly sql: string;
  readonly rows: number;
}

export function randomTable(maxRows: number): fc.Arbitrary<RandomTable> {
  return fc
    .record({
      columns: fc.array(fc.oneof({ weight: 4, arbitrary: expressionOf(2) }, arrays), {
        minLength: 1,
        maxLength: 4,
      }),
      rows: fc.integer({ min: 0, max: maxRows }),
      seed: fc.nat({ max: 1000 }),
    })
    .map(({ columns, rows, seed }) => ({
      rows,
      sql: `SELECT ${columns.map((column, i) => `${column} AS c${i}`).join(", ")} FROM (SELECT hash(i, ${seed}) AS n FROM range(${rows}) t(i))`,
    }));
}
