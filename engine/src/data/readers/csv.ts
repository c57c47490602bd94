/**
 * Delimited text → columns, in one pass over the bytes: cells are parsed where they lie, so no
 * string is made of a number and each distinct text is held once.
 */

import { DataError } from "../table.ts";
import { BLANKS, BlankRuns } from "./blank-runs.ts";
import { type ByteSource, decompressed } from "./byte-source.ts";
import { CellColumnBuilder } from "./cell-column.ts";
import { checkNames, checkWanted, nameByPlace } from "./column-names.ts";
import { type FoundDialect, HEAD_BYTES, sniffDialect } from "./csv-dialect.ts";
import { type CsvDialect, CsvScanner } from "./csv-scanner.ts";
import { ofFormat } from "./file-format.ts";
import { parseNumberBytes } from "./number-text.ts";
import { ReadBudget } from "./read-limits.ts";
import {
  type BuiltColumn,
  type DataWarning,
  declaredKind,
  keepsWritten,
  type ReadOptions,
  type TableReading,
  tableOf,
} from "./reading.ts";
import { asUtf8, type FoundEncoding, type TextEncoding } from "./text-encoding.ts";

export interface CsvOptions extends ReadOptions {
  /** One ASCII character, a blank for runs of blanks; absent = found out from the first records. */
  readonly delimiter?: string | undefined;
}

export async function readCsv(source: ByteSource, options: CsvOptions = {}): Promise<TableReading> {
  const budget = new ReadBudget(options.limits, options.spool);
  const table = new CsvTable(options, budget);
  let bytes = 0;
  let buffer = new Uint8Array(HEAD_BYTES * 4);
  let used = 0;
  let scanner: CsvScanner | null = null;
  let wanted = HEAD_BYTES;
  const blanks: { runs: BlankRuns | null } = { runs: null };
  const start = (final: boolean): CsvScanner => {
    const head = buffer.subarray(0, Math.min(used, 4 * HEAD_BYTES));
    expectNoJson(head);
    const { delimiter } = options;
    const dialect = sniffDialect(head, final, delimiter === undefined ? {} : { delimiter });
    table.useDialect(dialect);
    if (dialect.delimiter !== BLANKS) return new CsvScanner(dialect, table.sink);
    blanks.runs = new BlankRuns(dialect);
    const tabs = blanks.runs.withTabs(buffer.subarray(0, used));
    if (tabs.length > buffer.length) buffer = new Uint8Array(tabs.length);
    buffer.set(tabs);
    used = tabs.length;
    return new CsvScanner({ ...dialect, delimiter: "\t" }, table.sink);
  };
  const unpacked = decompressed(source, budget, (count) => {
    bytes += count;
  });
  const text = asUtf8(ofFormat(unpacked, "csv"), {
    encoding: options.encoding,
    onEncoding: (found) => table.useEncoding(found),
  });
  for await (const piece of text) {
    const chunk = blanks.runs?.withTabs(piece) ?? piece;
    if (used + chunk.length > buffer.length) {
      const larger = new Uint8Array(Math.max(used + chunk.length, buffer.length * 2));
      larger.set(buffer.subarray(0, used));
      buffer = larger;
    }
    buffer.set(chunk, used);
    used += chunk.length;
    if (used < wanted) continue;
    scanner ??= start(false);
    const taken = scanner.scan(buffer, used, false);
    buffer.copyWithin(0, taken, used);
    used -= taken;
    // A record longer than the buffer is scanned anew only when twice as much of it is there.
    wanted = used * 2;
    table.checkBudget();
    budget.checkRecord(used, Math.max(1, scanner.records), "; perhaps a quote is never closed");
    options.onProgress?.({ bytes, rows: table.rows });
    if (scanner.stopped) return table.finish();
  }
  if (scanner === null) scanner = start(true);
  scanner.scan(buffer, used, true);
  table.checkBudget();
  options.onProgress?.({ bytes, rows: table.rows });
  return table.finish();
}

const MEMBER_NAME = String.raw`"(?:[^"\\\n]|\\.){0,500}"\s*:`;
/**
 * An array of objects, or an object of lists, of objects or over several lines: such as pandas' `to_json` writes. One line
 * whose end is not in sight may be a row.
 */
const JSON_DOCUMENT = new RegExp(
  String.raw`^(?:\[\s*\{\s*${MEMBER_NAME}|\{[^\S\n]*\n\s*${MEMBER_NAME}|\{\s*${MEMBER_NAME}\s*[[{])`,
);

/** No header is a JSON object: read as CSV, its lines would be one column, or columns of its pieces. */
function expectNoJson(head: Uint8Array): void {
  const text = new TextDecoder().decode(head).trimStart();
  const [first = ""] = text.split(/\r?\n/, 1);
  if (!first.startsWith("{") || !isJson(first)) {
    if (!JSON_DOCUMENT.test(text)) return;
    throw new DataError(
      "The file was sent as CSV, but it is one JSON document; write each of its rows as an object on a line of its own, without brackets around and commas between them, and send it as newline-delimited JSON.",
    );
  }
  throw new DataError(
    "The file was sent as CSV, but its first line is a JSON object; send it as newline-delimited JSON.",
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const LF = 10;
const CR = 13;
const LONE_CR =
  "; it has a carriage return (CR) that no line feed (LF) follows, which ends no row where the header's line ends with LF; end all lines alike, or quote the field that the CR belongs to";

const ENDS_EMPTY =
  "; it ends with a delimiter, and the header does not: take it from the rows, or write one behind the header as well";

class CsvTable {
  #dialect: CsvDialect = { delimiter: ",", comment: "" };
  /** Whether the header is to be given an empty first name. */
  #lacksName = false;
  readonly #options: CsvOptions;
  readonly #maxRows: number;
  /** One builder a field of the file; null where the field is not wanted. */
  #builders: (CellColumnBuilder | null)[] | null = null;
  #warnings: DataWarning[] = [];
  #encoding: TextEncoding | null = null;
  rows = 0;

  readonly #budget: ReadBudget;

  constructor(options: CsvOptions, budget: ReadBudget) {
    this.#options = options;
    this.#budget = budget;
    this.#maxRows = options.maxRows ?? Number.POSITIVE_INFINITY;
  }

  /** Before the first record. */
  useDialect(dialect: FoundDialect): void {
    this.#dialect = dialect;
    // Between runs of blanks it is given with the delimiters.
    this.#lacksName = dialect.hasRowNames && dialect.delimiter !== BLANKS;
    if (dialect.delimiter !== BLANKS || this.#options.delimiter !== undefined) return;
    this.#warnings.push({
      message:
        "The columns were taken to be separated by runs of blanks; if the lines are texts of one column, put them in quotes.",
    });
  }

  /** At any time: what comes after is of it. */
  useEncoding({ encoding, isGuess }: FoundEncoding): void {
    this.#encoding = encoding;
    if (!isGuess) return;
    const name =
      encoding === "windows-1252" ? "Windows-1252 (Latin-1)" : `${encoding}, by its letters`;
    this.#warnings.push({
      message: `The file is not UTF-8; it was read as ${name}. If characters look wrong, name its encoding or save it as UTF-8.`,
    });
  }

  readonly sink = (
    bytes: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
    fields: number,
  ): boolean => {
    const builders = this.#builders;
    if (builders === null) {
      this.#header(bytes, starts, ends, fields);
      return this.#maxRows > 0;
    }
    this.rows++;
    if (fields !== builders.length) {
      const record = bytes.subarray(starts[0], ends[fields - 1]);
      const endsEmpty = starts[fields - 1] === ends[fields - 1];
      const hint = record.some((byte, at) => byte === CR && record[at + 1] !== LF)
        ? LONE_CR
        : fields === builders.length + 1 && endsEmpty
          ? ENDS_EMPTY
          : "";
      throw new DataError(
        `Row ${this.rows} has ${fields} ${fields === 1 ? "field" : "fields"}, but the header has ${builders.length}${hint}.`,
        { row: this.rows },
      );
    }
    for (let field = 0; field < fields; field++) {
      builders[field]?.add(bytes, starts[field], ends[field]);
    }
    return this.rows < this.#maxRows;
  };

  /** @throws DataLimitError */
  checkBudget(): void {
    if (this.#builders === null) return;
    this.#budget.checkTable(this.rows, this.#options.columns?.length ?? this.#builders.length);
  }

  finish(): TableReading {
    if (this.#builders === null) throw new DataError("The file is empty.");
    if (this.rows === 0 && this.#maxRows > 0) {
      throw new DataError("The file has a header, but no rows.");
    }
    const { table, warnings } = tableOf(this.rows, this.#built(this.#builders), this.#options);
    return {
      table,
      warnings: [...this.#warnings, ...warnings],
      ...(this.#encoding !== null && { encoding: this.#encoding }),
    };
  }

  *#built(builders: (CellColumnBuilder | null)[]): Generator<BuiltColumn> {
    const isAmongCommas = builders.some((builder) => builder?.showsCommas);
    for (const [field, builder] of builders.entries()) {
      builders[field] = null;
      if (builder !== null) yield builder.finish(isAmongCommas);
    }
  }

  #header(bytes: Uint8Array, starts: Int32Array, ends: Int32Array, fields: number): void {
    this.#budget.checkColumns(fields + Number(this.#lacksName));
    const written: string[] = this.#lacksName ? [""] : [];
    let numbers = 0;
    for (let field = 0; field < fields; field++) {
      const cell = bytes.subarray(starts[field], ends[field]);
      if (cell.includes(0)) {
        throw new DataError("The header has a NUL byte; the file is not text or is damaged.");
      }
      try {
        written.push(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(cell));
      } catch (cause) {
        throw new DataError("The header is not valid UTF-8; save the file as UTF-8.", { cause });
      }
      if (!Number.isNaN(parseNumberBytes(bytes, starts[field], ends[field]))) numbers++;
    }
    const { names, warnings } = nameByPlace(written);
    checkNames(names);
    this.#warnings.push(...warnings);
    const { columns } = this.#options;
    checkWanted(names, columns);
    if (numbers === fields) {
      this.#warnings.push({
        message: "The first row holds only numbers; it was read as the header with column names.",
      });
    }
    const wanted = columns === undefined ? null : new Set(columns);
    this.#builders = names.map((name) =>
      wanted === null || wanted.has(name)
        ? new CellColumnBuilder(name, declaredKind(this.#options, name), this.#budget, {
            commas: this.#dialect.delimiter !== ",",
            keepsWritten: keepsWritten(this.#options, name),
          })
        : null,
    );
  }
}
