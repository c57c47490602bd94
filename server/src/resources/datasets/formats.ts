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

/** `orders.csv.gz` is CSV: readers undo gzip by its magic bytes. */
export function formatOfFileName(name: string): TableFormat | null {
  const ending = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return FORMATS.find(({ endings }) => endings.includes(ending))?.format ?? null;
}
