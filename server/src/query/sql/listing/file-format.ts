/** The file formats of listing tables, and what a file's name says of its format and compression. */

export const FILE_FORMATS = ["parquet", "csv", "tsv", "json", "ndjson", "arrow"] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

export type Compression = "none" | "gzip" | "zstd";

const SUFFIXES: Readonly<Record<FileFormat, readonly string[]>> = {
  parquet: [".parquet", ".parq", ".pq"],
  csv: [".csv"],
  tsv: [".tsv", ".tab"],
  json: [".json", ".ndjson", ".jsonl"],
  ndjson: [".ndjson", ".jsonl", ".json"],
  arrow: [".arrow", ".arrows", ".feather", ".ipc"],
};

/** The first format that owns a suffix; `json` and `ndjson` read the same files. */
const FORMAT_OF_SUFFIX = new Map(
  FILE_FORMATS.toReversed().flatMap((format) =>
    SUFFIXES[format].map((suffix) => [suffix, format] as const),
  ),
);

const COMPRESSION_SUFFIXES: readonly (readonly [string, Compression])[] = [
  [".gz", "gzip"],
  [".gzip", "gzip"],
  [".zst", "zstd"],
  [".zstd", "zstd"],
];

/** Formats whose files may be compressed as a whole. */
export function mayBeCompressed(format: FileFormat): boolean {
  return format !== "parquet" && format !== "arrow";
}

export function isFileFormat(name: string): name is FileFormat {
  return (FILE_FORMATS as readonly string[]).includes(name);
}

/** Of a key's last segment: `part.csv.gz` is `.csv` and gzip. */
export function readFileName(key: string): {
  readonly compression: Compression;
  /** In lower case, before the compression's; empty where there is none. */
  readonly suffix: string;
} {
  const name = key.slice(key.lastIndexOf("/") + 1).toLowerCase();
  const found = COMPRESSION_SUFFIXES.find(([suffix]) => name.endsWith(suffix));
  const bare = found === undefined ? name : name.slice(0, -found[0].length);
  const dot = bare.lastIndexOf(".");
  return { compression: found?.[1] ?? "none", suffix: dot < 0 ? "" : bare.slice(dot) };
}

/** Null where the name says nothing. */
export function formatOfKey(key: string): FileFormat | null {
  const { suffix, compression } = readFileName(key);
  const format = FORMAT_OF_SUFFIX.get(suffix) ?? null;
  if (format !== null && compression !== "none" && !mayBeCompressed(format)) return null;
  return format;
}

/** Whether a name is of the format, as far as its suffix tells. */
export function hasSuffixOf(key: string, format: FileFormat): boolean {
  const { suffix, compression } = readFileName(key);
  return SUFFIXES[format].includes(suffix) && (compression === "none" || mayBeCompressed(format));
}
