/** How delimited text and its dates are written, for readers of their own: the one place where it is found out. */

export { BLANKS, type BlankDialect, BlankRuns } from "./data/readers/blank-runs.ts";
export { validDate } from "./data/readers/civil-days.ts";
export { HEAD_BYTES, sniffDialect } from "./data/readers/csv-dialect.ts";
export { type SampledColumn, sampledColumns } from "./data/readers/csv-forms.ts";
export { eachRecord } from "./data/readers/csv-records.ts";
export type { CsvDialect } from "./data/readers/csv-scanner.ts";
export { type DoubtfulPoints, doubtSentence } from "./data/readers/decimal-marks.ts";
export { guessEncoding } from "./data/readers/encoding/guess.ts";
export { MISSING_TOKENS } from "./data/readers/missing.ts";
export { READ_LIMITS } from "./data/readers/read-limits.ts";
export {
  asUtf8,
  encodingNamed,
  markedEncoding,
  type TextEncoding,
} from "./data/readers/text-encoding.ts";
export { DataError } from "./data/table.ts";
