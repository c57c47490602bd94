/** Arrow IPC files and streams, decoded to columns: the one reader, for uploads and for tables of queries. */

export { type ArrowBatch, BatchDecoder, batchesOf } from "./data/arrow/batches.ts";
export type { OffsetRows } from "./data/arrow/byte-rows.ts";
export type {
  ArrowColumn,
  BoolColumn,
  BytesColumn,
  DictionaryColumn,
  FixedColumn,
  FixedListColumn,
  ListColumn,
  NullColumn,
  StructColumn,
  UnionColumn,
  Validity,
} from "./data/arrow/column.ts";
export { ArrowFileError, inColumn } from "./data/arrow/file-error.ts";
export { FlatbufferReader, type FlatbufferTable } from "./data/arrow/flatbuffer-reader.ts";
export { foreignFormatOf } from "./data/arrow/foreign-format.ts";
export {
  type ArrowBytes,
  type ArrowFile,
  type ArrowSource,
  messagesOf,
  openArrow,
} from "./data/arrow/messages.ts";
export { ArrowSchemaError, type ArrowSchemaFault } from "./data/arrow/schema-error.ts";
export {
  decodeSchema,
  MAX_FIELDS,
  MAX_LEVELS,
  metadataOf,
  SCHEMA_SLOTS,
} from "./data/arrow/schema-fields.ts";
export {
  type ArrowRange,
  type ArrowRangesOptions,
  arrowRanges,
  readArrowRange,
} from "./data/readers/arrow-rows.ts";
export {
  type ColumnStatistics,
  type StoredMetadata,
  storedMetadataOf,
} from "./data/stored/metadata.ts";
