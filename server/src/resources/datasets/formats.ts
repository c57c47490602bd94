/** Which file formats are taken, and how a request says which one it sends. */

import type { TableFormat } from "@distillery/engine";

interface FileFormat {
  readonly format: TableFormat;
  /** The first is that of its files. */
  readonly mediaTypes: readonly string[];
  /** Of file names. */
  readonly endings: readonly string[];
}

export const FORMATS: readonly FileFormat[] = [
  {
    format: "csv",
    mediaTypes: ["text/csv", "application/csv", "text/tab-separated-values"],
    endings: ["csv", "tsv", "txt"],
  },
  {
    format: "parquet",
    mediaTypes: ["application/vnd.apache.parquet", "application/x-parquet"],
    endings: ["parquet"],
  },
  {
    format: "arrow",
    mediaTypes: ["application/vnd.apache.arrow.file", "application/vnd.apache.arrow.stream"],
    endings: ["arrow", "arrows", "feather", "ipc"],
  },
  {
    format: "ndjson",
    mediaTypes: ["application/x-ndjson", "application/jsonl"],
    endings: ["ndjson", "jsonl"],
  },
];

export const KNOWN_MEDIA_TYPES = FORMATS.flatMap(({ mediaTypes }) => mediaTypes);

export function formatOfMediaType(mediaType: string): TableFormat | null {
  const type = mediaType.toLowerCase();
  return FORMATS.find(({ mediaTypes }) => mediaTypes.includes(type))?.format ?? null;
}

/** `orders.csv.gz` is CSV: readers undo gzip and Zstandard by their magic bytes. */
export function formatOfFileName(name: string): TableFormat | null {
  const ending = /\.([a-z0-9]+)(?:\.(?:gz|zst))?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return FORMATS.find(({ endings }) => endings.includes(ending))?.format ?? null;
}

const SHEET = "Save its sheet as CSV.";
/** What becomes of files that people send as tables, by the endings of their names. */
const ADVICE: readonly (readonly [endings: readonly string[], advice: string])[] = [
  [["xlsx", "xls", "xlsm", "xlsb", "ods", "numbers"], SHEET],
  [["json"], "Write it as newline-delimited JSON, a row on each line, and name it .ndjson."],
  [["orc", "avro", "pkl", "pickle", "sqlite", "db", "duckdb"], "Save its table as Parquet or CSV."],
  [["sav", "dta", "sas7bdat", "rds", "rdata", "h5", "hdf5"], "Save its table as Parquet or CSV."],
  [["zip", "tar", "tgz", "7z", "rar"], "Unpack it, and send the file of rows."],
  [["xz", "bz2", "lz4", "br", "snappy"], "Compress it by gzip or Zstandard, or not at all."],
];

const SHEET_TYPE =
  /^application\/(?:vnd\.ms-excel|vnd\.openxmlformats-officedocument\.spreadsheetml|vnd\.oasis\.opendocument\.spreadsheet)/;

/** Why a body of this type is no table that is read, and what would be right. @param type empty = none was sent */
export function unreadType(type: string): string {
  const sent = type === "" ? "No Content-Type was sent" : `${type} is not a dataset's media type`;
  const what = SHEET_TYPE.test(type.toLowerCase()) ? `${sent}. ${SHEET} Send` : `${sent}; send`;
  return `${what} one of ${KNOWN_MEDIA_TYPES.join(", ")}, multipart/form-data or application/json.`;
}

/** Why a file's name and type are those of no table that is read, and what would be right. */
export function unreadName(fileName: string, mediaType: string): string {
  const ending = /\.(?:tar\.[a-z0-9]+|[a-z0-9]+)$/i.exec(fileName)?.[0].toLowerCase() ?? "";
  const known = ending.startsWith(".tar.") ? "tar" : ending.slice(1);
  const advice = ADVICE.find(([endings]) => endings.includes(known))?.[1];
  const endings = FORMATS.flatMap((format) => format.endings.map((each) => `.${each}`)).join(", ");
  return `Neither the name ${JSON.stringify(fileName)} nor the type ${mediaType} is that of a format which is read. ${advice ?? `Files of rows are named ${endings}, each also with .gz or .zst behind it; or their part's Content-Type is one of ${KNOWN_MEDIA_TYPES.join(", ")}.`}`;
}
