/** What a file's name and its first bytes say: the dataset's name, and the format of its rows. */

/** A format of files, as the service tells of it. */
export interface Format {
  /** Such as `csv`. */
  readonly format: string;
  readonly mediaType: string;
  /** Of file names. */
  readonly endings: readonly string[];
}

const TITLES: Readonly<Record<string, string>> = {
  csv: "CSV (commas, semicolons or tabs)",
  parquet: "Parquet",
  arrow: "Arrow IPC or Feather",
  ndjson: "JSON lines",
};

export const titleOf = ({ format }: Format): string => TITLES[format] ?? format;

const NAME = /^(?<name>.*?)\.(?<ending>[a-z0-9]+)(?:\.(?:gz|zst))?$/i;
/** Of the service. */
const NAME_LIMIT = 200;

/** `Sales 2031.csv.gz` → `Sales 2031`. */
export function nameOf(fileName: string): string {
  const name = NAME.exec(fileName)?.groups?.["name"] ?? fileName;
  return (name === "" ? "dataset" : name).slice(0, NAME_LIMIT);
}

/** First bytes that are looked at. */
export const LOOKED_AT = 4_096;

/**
 * @param first the file's first bytes; what they say counts for more than the name
 * @param formats that the service takes
 * @returns a format's name
 */
export function formatOf(
  fileName: string,
  first: Uint8Array,
  formats: readonly Format[],
): string | null {
  const start = new TextDecoder("latin1").decode(first.subarray(0, 6));
  if (start.startsWith("PAR1")) return "parquet";
  // A file and a stream of Arrow.
  if (start.startsWith("ARROW1") || start.startsWith("\xff\xff\xff\xff")) return "arrow";
  const ending = NAME.exec(fileName)?.groups?.["ending"]?.toLowerCase() ?? "";
  const named = formats.find(({ endings }) => endings.includes(ending));
  if (named !== undefined) return named.format;
  return isCompressed(start) ? null : formatOfText(first);
}

/** By gzip or Zstandard. @param start Latin-1 */
const isCompressed = (start: string): boolean =>
  start.startsWith("\x1f\x8b") || start.startsWith("\x28\xb5\x2f\xfd");

/** Kinds of files that people drop by mistake, by how they begin. */
const OTHERS: readonly (readonly [start: string, what: string])[] = [
  ["PK\u0003\u0004", "a ZIP archive or an Excel workbook: save the sheet as CSV, or unpack it"],
  ["%PDF", "a PDF: upload it under Documents"],
  ["\xd0\xcf\x11\xe0", "an old Office file: save the sheet as CSV"],
  ["\x89PNG", "a picture: upload it under Documents"],
  ["SQLite format 3", "an SQLite database: export a table as CSV"],
  ["Obj\u0001", "Avro: save its records as Parquet"],
  ["FEA1", "Feather of version 1: save it as Parquet, or as Feather of version 2"],
];

/** What a file is that has no rows for us; null where nothing speaks against it. */
export function notATable(first: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(first.subarray(0, 16));
  return OTHERS.find(([beginning]) => start.startsWith(beginning))?.[1] ?? null;
}

function formatOfText(first: Uint8Array): string | null {
  if (first.length === 0 || first.includes(0)) return null;
  const text = new TextDecoder().decode(first).trimStart();
  if (text.startsWith("{")) return "ndjson";
  return /^[^\n]*[,;\t]/.test(text) ? "csv" : null;
}
