import { readdirSync, readFileSync } from "node:fs";
import {
  ArrowSchemaError,
  type ArrowSchemaFault,
  MAX_FIELDS,
  MAX_LEVELS,
} from "@distillery/engine/arrow";
import * as arrow from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSchemaMessage, parseSchemaMessage } from "./schema-message.ts";
import { arbitrarySchema, schemaText } from "./testing/arbitrary-schema.ts";
import { handWritten } from "./testing/hand-written-message.ts";
import { pyarrowText } from "./testing/pyarrow-text.ts";

const corpus = new URL("./fixtures/messages/", import.meta.url);
const files = readdirSync(corpus).filter((file) => file.endsWith(".bin"));
const read = (file: string) => new Uint8Array(readFileSync(new URL(file, corpus)));

function faultOf(message: Uint8Array | string): ArrowSchemaFault | null {
  try {
    parseSchemaMessage(message);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(ArrowSchemaError);
    return (error as ArrowSchemaError).fault;
  }
}

const field = (name: string, type: arrow.DataType, nullable = true) =>
  new arrow.Field(name, type, nullable);
const small = new arrow.Schema([
  field("a", new arrow.Int32()),
  field("b", new arrow.Utf8(), false),
]);
const smallBytes = () => new Uint8Array(Buffer.from(encodeSchemaMessage(small), "base64"));

function concatenated(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function prefixedWith(length: number, bytes: Uint8Array, legacy = false): Uint8Array {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32LE(length);
  return concatenated(legacy ? [] : [255, 255, 255, 255], prefix, bytes);
}

/** A message without what its writer put before it. */
function stripped(message: Uint8Array): Uint8Array {
  const marked = message.subarray(0, 4).every((byte) => byte === 255);
  return message.subarray(marked ? 8 : 4);
}

describe("messages of another implementation", () => {
  const schemas = files.filter((file) => file.startsWith("schema-"));

  it.each(schemas)("%s is read as its writer prints it", (file) => {
    const text = readFileSync(new URL(file.replace(".bin", ".txt"), corpus), "utf8");
    expect(pyarrowText(parseSchemaMessage(stripped(read(file))))).toBe(text.trim());
  });

  it.each(schemas)("%s is refused as it was written, and says what to cut off", (file) => {
    const message = read(file);
    expect(faultOf(message)).toBe("prefix");
    const cut = message.length - stripped(message).length;
    expect(() => parseSchemaMessage(message)).toThrow(`cut the first ${cut} bytes off`);
  });

  it.each(files.filter((file) => file.startsWith("bare-")))(
    "%s is as without its prefix",
    (file) => {
      const whole = parseSchemaMessage(stripped(read(file.replace("bare-", "schema-"))));
      expect(schemaText(parseSchemaMessage(read(file)))).toBe(schemaText(whole));
    },
  );

  it.each(schemas)("%s is written again as an equal schema", (file) => {
    const schema = parseSchemaMessage(stripped(read(file)));
    expect(schemaText(parseSchemaMessage(encodeSchemaMessage(schema)))).toBe(schemaText(schema));
  });

  it.each(
    files
      .map((file) => [file, /^(.*)-[^-]+\.bin$/.exec(file)![1]!] as const)
      .filter(([, kind]) => kind !== "schema" && kind !== "bare"),
  )("%s is refused", (file, kind) => {
    const fault = kind.startsWith("unsupported-type")
      ? "unsupported-type"
      : kind === "dictionary"
        ? "dictionary-batch"
        : kind;
    expect(faultOf(read(file))).toBe(fault);
  });
});

describe("messages of apache-arrow", () => {
  it("keeps names, nullability, metadata and the dictionary's parameters", () => {
    const codes = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), 7, true);
    const schema = new arrow.Schema(
      [
        new arrow.Field("größe", new arrow.Float64(), false, new Map([["unit", "m"]])),
        new arrow.Field("code", codes, true),
        new arrow.Field("again", new arrow.Dictionary(codes.dictionary, new arrow.Int8(), 7), true),
      ],
      new Map([["origin", "🦆"]]),
    );
    const parsed = parseSchemaMessage(encodeSchemaMessage(schema));
    expect(schemaText(parsed)).toBe(schemaText(schema));
    expect(parsed.dictionaries.size).toBe(1);
  });

  it("has the bytes of Message.encode, and reads them wherever they lie", () => {
    const bytes = smallBytes();
    expect(bytes).toEqual(arrow.Message.encode(arrow.Message.from(small)));
    // A view into a larger buffer.
    for (const form of [bytes, concatenated([1, 2, 3], bytes).subarray(3)])
      expect(schemaText(parseSchemaMessage(form))).toBe(schemaText(small));
  });

  it("refuses every prefix, and reads what is left of it", () => {
    const end = smallBytes().length;
    for (const [legacy, alignment] of [
      [false, 8],
      [true, 8],
      [false, 64],
      [true, 64],
    ] as const) {
      const prefix = legacy ? 4 : 8;
      const padded = new Uint8Array(Math.ceil((prefix + end) / alignment) * alignment - prefix);
      padded.set(smallBytes());
      const message = prefixedWith(padded.length, padded, legacy);
      expect(faultOf(message), `${prefix} bytes, aligned by ${alignment}`).toBe("prefix");
      expect(schemaText(parseSchemaMessage(stripped(message)))).toBe(schemaText(small));
    }
  });

  it("reads random schemas of all types as they were", () => {
    fc.assert(
      fc.property(arbitrarySchema(), (schema) => {
        expect(schemaText(parseSchemaMessage(encodeSchemaMessage(schema)))).toBe(
          schemaText(schema),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe("what is no schema message", () => {
  const stream = arrow.tableToIPC(arrow.tableFromArrays({ n: [1, 2], t: ["a", "b"] }), "stream");
  const file = arrow.tableToIPC(arrow.tableFromArrays({ n: [1] }), "file");
  const schemaLength = new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);

  const cases: readonly (readonly [string, Uint8Array | string, ArrowSchemaFault])[] = [
    ["no bytes", new Uint8Array(), "empty"],
    ["no text", "", "empty"],
    ["a stream", stream, "stream"],
    [
      "a stream without batches",
      concatenated(stream.subarray(0, 8 + schemaLength), stream.subarray(-8)),
      "stream",
    ],
    ["the end of a stream", stream.subarray(-8), "stream"],
    ["a file", file, "file"],
    ["a Parquet file", Buffer.from("PAR1rest of it"), "file"],
    [
      "a dictionary batch and what follows it",
      stream.subarray(8 + schemaLength),
      "dictionary-batch",
    ],
    ["text", Buffer.from("a,b\n1,2\n"), "not-arrow"],
    ["zeros", new Uint8Array(64), "not-arrow"],
    ["half a prefix", Uint8Array.of(255, 255, 255, 255, 8), "truncated"],
    ["a prefix that announces more", prefixedWith(1000, smallBytes()), "truncated"],
    ["two schema messages", concatenated(smallBytes(), smallBytes()), "trailing-bytes"],
    ["one byte more", concatenated(smallBytes(), [0]), "trailing-bytes"],
    ["eight zeros more", concatenated(smallBytes(), new Uint8Array(8)), "trailing-bytes"],
    ["four bytes more", concatenated(smallBytes(), [1, 2, 3, 4]), "trailing-bytes"],
    [
      "a prefixed message and more",
      concatenated(prefixedWith(smallBytes().length, smallBytes()), [1]),
      "trailing-bytes",
    ],
    ["URL-safe base64", "-_==", "base64"],
    ["base64 without its padding", "AA", "base64"],
    ["base64 with a line break", `${encodeSchemaMessage(small)}\n`, "base64"],
    ["base64 with stray bits", "AB==", "base64"],
    ["base64 with padding within", "AA==AAAA", "base64"],
    ["a megabyte of base64 too much", "A".repeat(12 << 20), "limit"],
  ];
  it.each(cases)("%s", (_, message, fault) => {
    expect(faultOf(message)).toBe(fault);
  });

  it("names the character that base64 does not have", () => {
    expect(() => parseSchemaMessage("AA-A")).toThrow('character 2 is "-"');
  });

  it("is every truncation of a message", () => {
    const bytes = smallBytes();
    for (let length = 0; length < bytes.length; length++)
      expect(faultOf(bytes.subarray(0, length)), `${length} bytes`).not.toBeNull();
  });

  it("is a message with another version, header, body or byte order", () => {
    const patched = (patch: (message: MessagePlaces) => void) => {
      const bytes = smallBytes();
      patch(new MessagePlaces(bytes));
      return faultOf(bytes);
    };
    expect(patched((m) => m.setInt16(0, 3))).toBeNull();
    expect(patched((m) => m.setInt16(0, 2))).toBe("version");
    expect(patched((m) => m.setInt16(0, 5))).toBe("version");
    expect(patched((m) => m.setInt8(1, 0))).toBe("not-arrow");
    expect(patched((m) => m.setInt8(1, 3))).toBe("record-batch");
    expect(patched((m) => m.setInt8(1, 4))).toBe("tensor");
    expect(patched((m) => m.setInt8(1, 9))).toBe("not-arrow");
    const withBody = new arrow.Message(
      8n,
      arrow.MetadataVersion.V5,
      arrow.MessageHeader.Schema,
      small,
    );
    expect(faultOf(arrow.Message.encode(withBody))).toBe("body");
  });
});

describe("schemas written by hand", () => {
  it("are read where they are sound", () => {
    expect(parseSchemaMessage(handWritten({ levels: 0, children: 0 })).fields).toEqual([]);
    const shared = parseSchemaMessage(handWritten({ levels: 2, children: 2 }));
    expect(`${shared}`).toBe(
      "Schema<{ 0: : Struct<{:Struct<{}>, :Struct<{}>}>, 1: : Struct<{:Struct<{}>, :Struct<{}>}> }>",
    );
  });

  it("are refused where their data is big-endian", () => {
    expect(faultOf(handWritten({ levels: 0, children: 0, endianness: 1 }))).toBe("endianness");
    expect(faultOf(handWritten({ levels: 0, children: 0, endianness: 2 }))).toBe("endianness");
  });

  it("may not share a field a billion times", () => {
    // Ten levels, each a struct of ten children that are all the same field of the next level.
    expect(faultOf(handWritten({ levels: 10, children: 10 }))).toBe("limit");
  });
});

describe("schemas that ask for too much", () => {
  it("have too many fields", () => {
    const wide = (count: number) =>
      encodeSchemaMessage(
        new arrow.Schema(Array.from({ length: count }, (_, i) => field(`f${i}`, new arrow.Int8()))),
      );
    expect(faultOf(wide(MAX_FIELDS))).toBeNull();
    expect(faultOf(wide(MAX_FIELDS + 1))).toBe("limit");
  });

  it("are too deep", () => {
    const deep = (levels: number) => {
      let type: arrow.DataType = new arrow.Int8();
      for (let i = 1; i < levels; i++) type = new arrow.List(field("item", type));
      return encodeSchemaMessage(new arrow.Schema([field("deep", type)]));
    };
    expect(faultOf(deep(MAX_LEVELS))).toBeNull();
    expect(faultOf(deep(MAX_LEVELS + 1))).toBe("limit");
  });
});

describe("fields that contradict themselves", () => {
  const one = (type: arrow.DataType) => encodeSchemaMessage(new arrow.Schema([field("a", type)]));
  const cases: readonly (readonly [string, arrow.DataType])[] = [
    ["a decimal of 0 digits", new arrow.Decimal(0, 0, 128)],
    ["a decimal of 39 digits in 128 bits", new arrow.Decimal(0, 39, 128)],
    ["a decimal of 100 bits", new arrow.Decimal(0, 5, 100)],
    ["a decimal of scale 400", new arrow.Decimal(400, 5, 128)],
    ["bytes of a negative width", new arrow.FixedSizeBinary(-1)],
    [
      "a fixed list of a negative size",
      new arrow.FixedSizeList(-4, field("item", new arrow.Int8())),
    ],
    [
      "a union with equal type ids",
      new arrow.SparseUnion([1, 1], [field("x", new arrow.Int8()), field("y", new arrow.Int8())]),
    ],
    [
      "a union with too few type ids",
      new arrow.SparseUnion([1], [field("x", new arrow.Int8()), field("y", new arrow.Int8())]),
    ],
    [
      "a map of a struct with one child",
      new arrow.Map_(field("entries", new arrow.Struct([field("key", new arrow.Utf8())])) as never),
    ],
    ["a time in nanoseconds of 32 bits", new arrow.Time(arrow.TimeUnit.NANOSECOND, 32)],
    ["a time in unit 9", new arrow.Time(9 as never, 64)],
    ["a timestamp in unit 4", new arrow.Timestamp(4 as never)],
    ["an interval in unit 3", new arrow.Interval(3 as never)],
    ["a float of precision 5", new arrow.Float(5 as never)],
    ["an integer of 17 bits", new arrow.Int(true, 17 as never)],
  ];
  it.each(cases)("%s", (_, type) => {
    expect(faultOf(one(type))).toBe("invalid-field");
    expect(() => parseSchemaMessage(one(type))).toThrow('field "a"');
  });

  it("two types for one dictionary", () => {
    const schema = new arrow.Schema(
      [
        field("a", new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8(), 3)),
        field("b", new arrow.Dictionary(new arrow.Int64(), new arrow.Int8(), 3)),
      ],
      null,
      new Map(),
    );
    expect(() => parseSchemaMessage(encodeSchemaMessage(schema))).toThrow("shares dictionary 3");
  });

  it("a name that is not UTF-8", () => {
    const bytes = new Uint8Array(
      Buffer.from(
        encodeSchemaMessage(new arrow.Schema([field("qqqq", new arrow.Int8())])),
        "base64",
      ),
    );
    const at = Buffer.from(bytes).indexOf("qqqq");
    bytes.set([0xc3, 0x28], at);
    expect(faultOf(bytes)).toBe("malformed");
  });
});

/** Where the members of a message's root table lie. */
class MessagePlaces {
  readonly #view: DataView;
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  #member(slot: number): number {
    const table = this.#view.getUint32(0, true);
    const vtable = table - this.#view.getInt32(table, true);
    return table + this.#view.getUint16(vtable + 4 + 2 * slot, true);
  }
  setInt16(slot: number, value: number): void {
    this.#view.setInt16(this.#member(slot), value, true);
  }
  setInt8(slot: number, value: number): void {
    this.#view.setInt8(this.#member(slot), value);
  }
}
