/** What a statement answers, and its values as text. */

export interface ResultColumn {
  readonly name: string;
  /** Arrow's name of it. */
  readonly type: string;
}

type ResultRow = Readonly<Record<string, unknown>>;

/** As the service says it in JSON. */
export interface QueryAnswer {
  readonly columns: readonly ResultColumn[];
  readonly rows: readonly ResultRow[];
  /** Whether rows were left out, by their number or by the size of the answer. */
  readonly truncated: boolean;
  readonly warnings?: readonly string[];
}

/** Rows to look at, wherever they lie. */
export interface QueryResult {
  readonly columns: readonly ResultColumn[];
  readonly rowCount: number;
  /** Null where the value is missing. */
  readonly cell: (row: number, column: number) => string | null;
  readonly truncated: boolean;
  readonly warnings?: readonly string[];
}

export const resultOf = ({
  columns,
  rows,
  truncated,
  warnings = [],
}: QueryAnswer): QueryResult => ({
  ...{ columns, truncated, warnings, rowCount: rows.length },
  cell: (row, column) => valueText(rows[row]?.[columns[column]?.name ?? ""]),
});

/** A value as the grid shows it; null where it is missing. */
export function valueText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return value;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const NUMBER = /^(?:U?[Ii]nt|Float|Decimal)/;

export const isNumberType = (type: string): boolean => NUMBER.test(type);
