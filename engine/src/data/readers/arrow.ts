/** Arrow IPC, stream or file → columns, record batch by record batch where the format allows. */

import { RecordBatchReader, type Schema } from "apache-arrow";
import { DataError } from "../table.ts";
import { type ArrowColumnBuilder, arrowColumn } from "./arrow-column.ts";
import { type ByteSource, decompressed } from "./byte-source.ts";
import { checkNames, checkWanted } from "./column-names.ts";
import { expectFormat, recognise } from "./file-format.ts";
import { declaredKind, type ReadOptions, type TableReading } from "./reading.ts";
import { finishTable } from "./typed-table.ts";

export async function readArrow(
  source: ByteSource,
  options: ReadOptions = {},
): Promise<TableReading> {
  let bytes = 0;
  const end = new StreamEnd();
  const checked = checkedHead(
    decompressed(source, (count) => {
      bytes += count;
    }),
    end,
  );
  let rows = 0;
  let builders: (ArrowColumnBuilder | null)[] | null = null;
  const limit = options.maxRows ?? Number.POSITIVE_INFINITY;
  try {
    const reader = await RecordBatchReader.from(checked);
    await reader.open();
    builders = buildersOf(reader.schema, options);
    for await (const whole of reader) {
      const batch = rows + whole.numRows > limit ? whole.slice(0, limit - rows) : whole;
      for (const [index, builder] of builders.entries()) builder?.add(batch.data.children[index]);
      rows += batch.numRows;
      options.onProgress?.({ bytes, rows });
      if (rows >= limit) break;
    }
  } catch (cause) {
    // What the source itself threw (a file that is gone, a cut connection) is no fault of the data.
    if (cause instanceof DataError || (cause instanceof Error && "syscall" in cause)) throw cause;
    throw arrowFault(cause);
  }
  const { table, warnings } = finishTable(builders, rows);
  if (rows >= limit || end.isMarked) return { table, warnings };
  const message = `The Arrow stream ends without its end mark; it may be cut short after row ${rows}.`;
  return { table, warnings: [...warnings, { message, row: rows }] };
}

/** The last bytes of a stream, where its end mark or a file's magic stands. */
class StreamEnd {
  #tail = new Uint8Array(0);

  see(chunk: Uint8Array): void {
    const joined = new Uint8Array([...this.#tail, ...chunk.subarray(-8)]);
    this.#tail = joined.slice(-8);
  }

  get isMarked(): boolean {
    const tail = this.#tail;
    if (tail.length < 8) return false;
    const magic = String.fromCharCode(...tail.subarray(2)) === "ARROW1";
    return magic || tail.subarray(4).every((byte) => byte === 0);
  }
}

/** One builder a field, null for the unwanted; refuses what no table can hold. */
export function buildersOf(schema: Schema, options: ReadOptions): (ArrowColumnBuilder | null)[] {
  const names = schema.fields.map((field) => field.name);
  checkNames(names);
  checkWanted(names, options.columns);
  return schema.fields.map((field) =>
    options.columns === undefined || options.columns.includes(field.name)
      ? arrowColumn(field.name, field.type, declaredKind(options, field.name))
      : null,
  );
}

function arrowFault(cause: unknown): DataError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/compress/i.test(reason)) {
    return new DataError(
      "The Arrow file has compressed buffers, which are not read; write it uncompressed.",
      { cause },
    );
  }
  return new DataError(`The Arrow data is damaged or cut short (${reason}).`, { cause });
}

async function* checkedHead(
  source: AsyncIterable<Uint8Array>,
  end: StreamEnd,
): AsyncGenerator<Uint8Array> {
  let head = new Uint8Array(0);
  for await (const chunk of source) {
    end.see(chunk);
    if (head.length >= 8) {
      yield chunk;
      continue;
    }
    const joined = new Uint8Array(head.length + chunk.length);
    joined.set(head);
    joined.set(chunk, head.length);
    head = joined;
    if (head.length < 8) continue;
    expectFormat(head, "arrow");
    // Streams before format version 0.15 begin with a length instead of a marker.
    const legacy = new DataView(head.buffer).getUint32(0, true) < 1 << 24;
    if (recognise(head) === null && !legacy) {
      throw new DataError("The file was sent as Arrow IPC, but it is not.");
    }
    yield head;
  }
  if (head.length < 8) {
    expectFormat(head, "arrow");
    throw new DataError("The Arrow data is damaged or cut short.");
  }
}
