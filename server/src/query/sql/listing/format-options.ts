/**
 * A listing's `formatOptions`: DataFusion's names, with or without the prefix `format.`, read into
 * what the readers here take. Options that only change how DataFusion writes, or how fast it reads,
 * are known and have no effect; an unknown name or a bad value is an error that says what is known.
 */

import { type CsvOptions, parseCsvOptions } from "./csv-options.ts";
import { FILE_FORMATS, type FileFormat, isFileFormat } from "./file-format.ts";
import { type JsonOptions, parseJsonOptions } from "./json-options.ts";
import { FormatOptionError, OptionReader } from "./option-reader.ts";

export type ReadOptions =
  | { readonly format: "parquet"; readonly binaryAsString: boolean }
  | { readonly format: "csv" | "tsv"; readonly csv: CsvOptions }
  | { readonly format: "json" | "ndjson"; readonly json: JsonOptions }
  | { readonly format: "arrow" };

const PARQUET_WITHOUT_EFFECT = [
  "allow_single_file_parallelism",
  "bloom_filter_fpp",
  "bloom_filter_ndv",
  "bloom_filter_on_read",
  "bloom_filter_on_write",
  "coerce_int96",
  "column_index_truncate_length",
  "compression",
  "created_by",
  "data_page_row_count_limit",
  "data_pagesize_limit",
  "dictionary_enabled",
  "dictionary_page_size_limit",
  "enable_page_index",
  "encoding",
  "force_filter_selections",
  "max_predicate_cache_size",
  "max_row_group_size",
  "max_statistics_size",
  "maximum_buffered_record_batches_per_stream",
  "maximum_parallel_row_group_writers",
  "metadata_size_hint",
  "pruning",
  "pushdown_filters",
  "reorder_filters",
  "schema_force_view_types",
  "skip_arrow_metadata",
  "skip_metadata",
  "statistics_enabled",
  "statistics_truncate_length",
  "write_batch_size",
  "writer_version",
];

/** @throws FormatOptionError naming the table and the option */
export function parseReadOptions(
  table: string,
  fileType: string,
  formatOptions: Readonly<Record<string, string>>,
): ReadOptions {
  const format = parseFormat(table, fileType);
  const reader = new OptionReader(table, format, formatOptions);
  const options = read(format, reader);
  reader.end();
  return options;
}

function parseFormat(table: string, fileType: string): FileFormat {
  const format = fileType.toLowerCase();
  if (isFileFormat(format)) return format;
  throw new FormatOptionError(
    table,
    null,
    `the file type ${JSON.stringify(fileType)} is not known; the known ones are ${FILE_FORMATS.join(", ")}`,
  );
}

function read(format: FileFormat, reader: OptionReader): ReadOptions {
  switch (format) {
    case "parquet":
      reader.ignore(PARQUET_WITHOUT_EFFECT);
      return { format, binaryAsString: reader.boolean("binary_as_string") ?? false };
    case "csv":
    case "tsv":
      return { format, csv: parseCsvOptions(reader, format) };
    case "json":
    case "ndjson":
      return { format, json: parseJsonOptions(reader, format) };
    case "arrow":
      return { format };
  }
}
