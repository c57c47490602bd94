import fc from "fast-check";
import { expect, test } from "vitest";
import { Message } from "./protobuf.ts";

type Field = { readonly field: number } & (
  | { readonly integer: number }
  | { readonly integers: readonly number[] }
  | { readonly text: string }
  | { readonly texts: readonly string[] }
  | { readonly bytes: number }
  | { readonly message: readonly Field[] }
);

const field = fc.integer({ min: 1, max: 40 });
const integer = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -2, max: 300 }));
const texts = fc.array(fc.constantFrom("LEAF", "BRANCH_LEQ", "", "größer"), { maxLength: 300 });
const { fields } = fc.letrec<{ fields: Field[] }>((tie) => ({
  fields: fc.array(
    fc.oneof(
      { maxDepth: 3 },
      fc.record({ field, integer }),
      fc.record({ field, integers: fc.array(integer, { maxLength: 50 }) }),
      fc.record({ field, text: fc.string({ unit: "binary" }) }),
      fc.record({ field, texts }),
      // About where bytes are copied no more.
      fc.record({ field, bytes: fc.constantFrom(0, 1, 63, 64, 65, 4095, 4096, 4097, 9000) }),
      fc.record({ field, message: tie("fields") }),
    ),
    { maxLength: 8 },
  ),
}));

const madeOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i * 7);

function written(of: readonly Field[]): Message {
  const message = new Message();
  for (const each of of) {
    if ("integer" in each) message.integer(each.field, each.integer);
    else if ("integers" in each) message.integers(each.field, each.integers);
    else if ("text" in each) message.text(each.field, each.text);
    else if ("texts" in each) message.texts(each.field, each.texts);
    else if ("bytes" in each) message.bytes(each.field, madeOf(each.bytes));
    else message.message(each.field, written(each.message));
  }
  return message;
}

/** The format as its definition has it, byte by byte. */
function slow(of: readonly Field[]): number[] {
  const varint = (value: number): number[] => {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
    return [...bytes, Number(rest)];
  };
  const long = (at: number, content: readonly number[]): number[] => [
    ...varint(at * 8 + 2),
    ...varint(content.length),
    ...content,
  ];
  const encoded = (text: string): number[] => [...new TextEncoder().encode(text)];
  return of.flatMap((each) => {
    if ("integer" in each) return [...varint(each.field * 8), ...varint(each.integer)];
    if ("integers" in each) return long(each.field, each.integers.flatMap(varint));
    if ("text" in each) return long(each.field, encoded(each.text));
    if ("texts" in each) return each.texts.flatMap((text) => long(each.field, encoded(text)));
    if ("bytes" in each) return long(each.field, [...madeOf(each.bytes)]);
    return long(each.field, slow(each.message));
  });
}

test("messages are the bytes of the format, whatever they hold", () => {
  fc.assert(
    fc.property(fields, (of) => {
      const message = written(of);
      const bytes = message.finish();
      expect(message.length).toBe(bytes.length);
      expect(Buffer.compare(bytes, Uint8Array.from(slow(of)))).toBe(0);
    }),
  );
});

test("messages of many small fields are in the order in which they were written", () => {
  const message = new Message();
  for (let i = 0; i < 300_000; i++) message.integer(1, i);
  const bytes = new Message().message(2, message).text(3, "end").finish();
  const ofIntegers = Array.from(
    { length: 300_000 },
    (_, i) => 2 + (i > 127 ? 1 : 0) + (i > 16_383 ? 1 : 0),
  );
  expect(message.length).toBe(ofIntegers.reduce((sum, each) => sum + each, 0));
  expect([...bytes.subarray(0, 1)]).toEqual([18]);
  expect(new TextDecoder().decode(bytes.subarray(-3))).toBe("end");
  const last = message.finish().subarray(-4);
  expect([...last]).toEqual([
    8,
    (299_999 & 127) | 128,
    ((299_999 >> 7) & 127) | 128,
    299_999 >> 14,
  ]);
});
