/** What a file's name and its first bytes say: the dataset's name, and the format of its rows. */

export const FORMATS = {
  csv: { title: "CSV (commas, semicolons or tabs)", mediaType: "text/csv" },
  parquet: { title: "Parquet", mediaType: "application/vnd.apache.parquet" },
  arrow: { title: "Arrow IPC or Feather", mediaType: "application/vnd.apache.arrow.file" },
  ndjson: { title: "JSON lines", mediaType: "application/x-ndjson" },
} as const;
export type Format = keyof typeof FORMATS;

const ENDINGS: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "csv",
  txt: "csv",
  parquet: "parquet",
  arrow: "arrow",
  arrows: "arrow",
  feather: "arrow",
  ipc: "arrow",
  ndjson: "ndjson",
  jsonl: "ndjson",
  json: "ndjson",
};

const NAME = /^(?<name>.*?)\.(?<ending>[a-z0-9]+)(?:\.gz)?$/i;
/** Of the service. */
const NAME_LIMIT = 200;

/** `Sales 2031.csv.gz` → `Sales 2031`. */
export function nameOf(fileName: string): string {
  const name = NAME.exec(fileName)?.groups?.["name"] ?? fileName;
  return (name === "" ? "dataset" : name).slice(0, NAME_LIMIT);
}

/** First bytes that are looked at. */
export const LOOKED_AT = 4_096;

/** @param first the file's first bytes; what they say counts for more than the name */
export function formatOf(fileName: string, first: Uint8Array): Format | null {
  const start = new TextDecoder("latin1").decode(first.subarray(0, 6));
  if (start.startsWith("PAR1")) return "parquet";
  // A file and a stream of Arrow, and Feather's first version.
  if (
    start.startsWith("ARROW1") ||
    start.startsWith("FEA1") ||
    start.startsWith("\xff\xff\xff\xff")
  )
    return "arrow";
  const named = ENDINGS[NAME.exec(fileName)?.groups?.["ending"]?.toLowerCase() ?? ""];
  if (named !== undefined) return named;
  return isGzip(first) ? null : formatOfText(first);
}

export const isGzip = (first: Uint8Array): boolean => first[0] === 0x1f && first[1] === 0x8b;

/** Kinds of files that people drop by mistake, by how they begin. */
const OTHERS: readonly (readonly [start: string, what: string])[] = [
  ["PK\u0003\u0004", "a ZIP archive or an Excel workbook: save the sheet as CSV, or unpack it"],
  ["%PDF", "a PDF: upload it under Documents"],
  ["\xd0\xcf\x11\xe0", "an old Office file: save the sheet as CSV"],
  ["\x89PNG", "a picture: upload it under Documents"],
  ["SQLite format 3", "an SQLite database: export a table as CSV"],
];

/** What a file is that has no rows for us; null where nothing speaks against it. */
export function notATable(first: Uint8Array): string | null {
  const start = new TextDecoder("latin1").decode(first.subarray(0, 16));
  return OTHERS.find(([beginning]) => start.startsWith(beginning))?.[1] ?? null;
}

function formatOfText(first: Uint8Array): Format | null {
  if (first.length === 0 || first.includes(0)) return null;
  const text = new TextDecoder().decode(first).trimStart();
  if (text.startsWith("{")) return "ndjson";
  return /^[^\n]*[,;\t]/.test(text) ? "csv" : null;
}
