/** The record batches of an Arrow file or stream, with the columns that are wanted. */

import { DataType, type Field } from "apache-arrow";
import type { ArrowColumn } from "./column.ts";
import { decodeColumn, skipColumn } from "./decode-column.ts";
import { grown } from "./dictionary-growth.ts";
import { ArrowFileError, inColumn } from "./file-error.ts";
import { type ArrowFile, type ArrowSchema, messagesOf, type PlacedMessage } from "./messages.ts";
import { BatchBody, type BodyLimits } from "./record-batch.ts";

export interface ArrowBatch {
  readonly rows: number;
  /** In the order in which they were wanted, each of so many rows. */
  readonly columns: readonly ArrowColumn[];
}

/** Takes the messages of a file in their order. */
export class BatchDecoder {
  readonly #schema: ArrowSchema;
  readonly #wanted: readonly number[];
  readonly #isWanted: ReadonlySet<number>;
  readonly #needed = new Set<number>();
  readonly #dictionaries = new Map<number, ArrowColumn>();
  readonly #limits: BodyLimits;

  /** @param wanted indexes into the schema's fields */
  constructor(schema: ArrowSchema, wanted: readonly number[], limits: BodyLimits = {}) {
    this.#schema = schema;
    this.#wanted = wanted;
    this.#isWanted = new Set(wanted);
    this.#limits = limits;
    for (const index of wanted) collectDictionaries(schema.fields[index]!, this.#needed);
  }

  /** Null for a dictionary, which later batches use. @throws ArrowFileError */
  decode({ message, read }: PlacedMessage): ArrowBatch | null {
    const body = new BatchBody(message.batch, read, this.#limits);
    if (message.kind === "batch") return this.#batch(message.batch.rows, body);
    const type = this.#schema.dictionaries.get(message.id);
    if (type === undefined || !this.#needed.has(message.id)) return null;
    const values = decodeColumn(type, body, this.#dictionaries);
    const known = message.isDelta ? this.#dictionaries.get(message.id) : undefined;
    this.#dictionaries.set(message.id, known === undefined ? values : grown(known, values));
    return null;
  }

  #batch(rows: number, body: BatchBody): ArrowBatch {
    const decoded = new Map<number, ArrowColumn>();
    this.#schema.fields.forEach((field, index) => {
      if (!this.#isWanted.has(index)) {
        skipColumn(field.type, body);
        return;
      }
      const column = inColumn(field.name, () => {
        const made = decodeColumn(field.type, body, this.#dictionaries);
        if (made.length !== rows)
          throw new ArrowFileError(`it has ${made.length} rows in a batch of ${rows}`);
        return made;
      });
      decoded.set(index, column);
    });
    return { rows, columns: this.#wanted.map((index) => decoded.get(index)!) };
  }
}

/**
 * @param wanted indexes into the file's fields
 * @throws ArrowFileError, ArrowSchemaError
 */
export function* batchesOf(
  file: ArrowFile,
  wanted: readonly number[],
): Generator<ArrowBatch, void> {
  const decoder = new BatchDecoder(file, wanted);
  for (const message of messagesOf(file)) {
    const batch = decoder.decode(message);
    if (batch !== null) yield batch;
  }
}

/** Dictionaries that a column needs; those of its dictionaries' values too. */
function collectDictionaries(field: Field, into: Set<number>): void {
  const type: DataType = field.type;
  if (DataType.isDictionary(type)) into.add(type.id);
  for (const child of type.children ?? []) collectDictionaries(child, into);
}
