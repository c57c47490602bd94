/**
 * The tables of Arrow's `Schema.fbs` as an apache-arrow schema. Each field is checked against what the
 * columnar format allows, so that a schema which leaves here can be written, compared and mapped.
 */

import { type DataType, Dictionary, Field, Int32, type Schema, util } from "apache-arrow";
import type { FlatbufferTable } from "./flatbuffer-reader.ts";
import { ArrowSchemaError } from "./schema-error.ts";
import { arrowTypeOf, integerOf } from "./schema-types.ts";

/** Fields of a schema, nested ones counted, where nothing else is said. */
export const MAX_FIELDS = 10_000;
/** Levels of nesting, a column being the first. */
export const MAX_LEVELS = 64;

const MAX_SHOWN_NAME = 60;

const SCHEMA = { endianness: 0, fields: 1, metadata: 2, features: 3 } as const;
export const SCHEMA_SLOTS = 4;
const FIELD = {
  name: 0,
  nullable: 1,
  typeType: 2,
  type: 3,
  dictionary: 4,
  children: 5,
  metadata: 6,
} as const;
const FIELD_SLOTS = 7;
const DICTIONARY = { id: 0, indexType: 1, isOrdered: 2, kind: 3 } as const;
const DICTIONARY_SLOTS = 4;
const KEY_VALUE_SLOTS = 2;
const INT_SLOTS = 2;

export interface SchemaParts {
  readonly fields: Field[];
  readonly metadata: Map<string, string>;
  readonly dictionaries: Schema["dictionaries"];
}

/**
 * @param maxFields nested ones counted
 * @throws ArrowSchemaError
 */
export function decodeSchema(schema: FlatbufferTable, maxFields = MAX_FIELDS): SchemaParts {
  const endianness = schema.int16(SCHEMA.endianness, 0);
  if (endianness !== 0)
    throw new ArrowSchemaError(
      "endianness",
      endianness === 1
        ? "the schema is of big-endian data; only little-endian data is supported"
        : `the schema has an unknown byte order (${endianness})`,
    );
  if (!schema.has(SCHEMA.fields))
    throw new ArrowSchemaError("malformed", "the schema has no list of fields");
  schema.int64s(SCHEMA.features);
  const decoder = new FieldDecoder(maxFields);
  const fields = decoder.fields(schema, SCHEMA.fields, null, 1);
  return {
    fields,
    metadata: metadataOf(schema, SCHEMA.metadata),
    dictionaries: decoder.dictionaries,
  };
}

/** The pairs of a table's custom metadata; the last one of a key counts. */
export function metadataOf(table: FlatbufferTable, slot: number): Map<string, string> {
  const pairs = new Map<string, string>();
  const what = `the metadata of ${table.what}`;
  for (const pair of table.tables(slot, KEY_VALUE_SLOTS, () => what)) {
    const key = pair.string(0, what);
    if (key === null) throw new ArrowSchemaError("malformed", `${what} has a pair without a key`);
    pairs.set(key, pair.string(1, what) ?? "");
  }
  return pairs;
}

class FieldDecoder {
  readonly dictionaries: SchemaParts["dictionaries"] = new Map();
  readonly #maxFields: number;
  #count = 0;

  constructor(maxFields: number) {
    this.#maxFields = maxFields;
  }

  fields(parent: FlatbufferTable, slot: number, path: string | null, level: number): Field[] {
    const fields: Field[] = [];
    const what = (index: number) =>
      path === null ? `field ${index}` : `child ${index} of ${path}`;
    for (const table of parent.tables(slot, FIELD_SLOTS, what))
      fields.push(this.#field(table, path, level));
    return fields;
  }

  #field(table: FlatbufferTable, parent: string | null, level: number): Field {
    if (++this.#count > this.#maxFields)
      throw new ArrowSchemaError("limit", `the schema has more than ${this.#maxFields} fields`);
    if (level > MAX_LEVELS)
      throw new ArrowSchemaError(
        "limit",
        `the schema nests fields deeper than ${MAX_LEVELS} levels`,
      );
    const name = table.string(FIELD.name, `the name of ${table.what}`) ?? "";
    const path = parent === null ? `field ${quoted(name)}` : `${parent}.${quoted(name)}`;
    const children = this.fields(table, FIELD.children, path, level + 1);
    const type = this.#dictionaryEncoded(
      table,
      arrowTypeOf(table.int8(FIELD.typeType, 0), table, FIELD.type, children, path),
      path,
    );
    return new Field(name, type, table.bool(FIELD.nullable), metadataOf(table, FIELD.metadata));
  }

  #dictionaryEncoded(table: FlatbufferTable, valueType: DataType, path: string): DataType {
    const encoding = table.table(FIELD.dictionary, DICTIONARY_SLOTS, `the dictionary of ${path}`);
    if (encoding === null) return valueType;
    const id = Number(encoding.int64(DICTIONARY.id));
    if (!Number.isSafeInteger(id))
      throw new ArrowSchemaError("invalid-field", `the dictionary id of ${path} is beyond 2^53`);
    const kind = encoding.int16(DICTIONARY.kind, 0);
    if (kind !== 0)
      throw new ArrowSchemaError("unsupported-type", `${path} has an unknown kind of dictionary`);
    const index = encoding.table(DICTIONARY.indexType, INT_SLOTS, `the index type of ${path}`);
    const indices = index === null ? new Int32() : integerOf(index, path);
    // Fields may share a dictionary, which then has one type of values.
    const shared = this.dictionaries.get(id);
    if (shared !== undefined && !util.compareTypes(shared, valueType))
      throw new ArrowSchemaError(
        "invalid-field",
        `${path} shares dictionary ${id} with a field of another type (${shared} and ${valueType})`,
      );
    const values = shared ?? valueType;
    this.dictionaries.set(id, values);
    // The declared type of keys leaves out 64 bits, which the class has no trouble with.
    return new Dictionary(values, indices as Int32, id, encoding.bool(DICTIONARY.isOrdered));
  }
}

/** A name for error texts, cut where it is long. */
function quoted(name: string): string {
  return JSON.stringify(name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name);
}
