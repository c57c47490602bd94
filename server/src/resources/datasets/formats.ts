/** Which file formats are taken, and how a request says which one it sends. */

import type { TableFormat } from "@distillery/engine";

const MEDIA_TYPES = new Map<string, TableFormat>(
  Object.entries({
    "text/csv": "csv",
    "application/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/vnd.apache.parquet": "parquet",
    "application/x-parquet": "parquet",
    "application/vnd.apache.arrow.stream": "arrow",
    "application/vnd.apache.arrow.file": "arrow",
    "application/x-ndjson": "ndjson",
    "application/jsonl": "ndjson",
  }),
);

const EXTENSIONS = new Map<string, TableFormat>(
  Object.entries({
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
  }),
);

export const KNOWN_MEDIA_TYPES = [...MEDIA_TYPES.keys()];

export function formatOfMediaType(mediaType: string): TableFormat | null {
  return MEDIA_TYPES.get(mediaType.toLowerCase()) ?? null;
}

/** `orders.csv.gz` is CSV: readers undo gzip by its magic bytes. */
export function formatOfFileName(name: string): TableFormat | null {
  const extension = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(name)?.[1];
  return extension ? (EXTENSIONS.get(extension.toLowerCase()) ?? null) : null;
}
