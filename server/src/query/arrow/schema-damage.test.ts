import { readdirSync, readFileSync } from "node:fs";
import { ArrowSchemaError, type ArrowSchemaFault } from "@distillery/engine/arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeSchemaMessage, parseSchemaMessage } from "./schema-message.ts";
import { arbitrarySchema, schemaText } from "./testing/arbitrary-schema.ts";

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

function concatenated(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe("damaged messages", () => {
  const damage = fc.oneof(
    fc.record({
      kind: fc.constant("cut" as const),
      at: fc.nat(),
      bytes: fc.constant<number[]>([]),
    }),
    fc.record({
      kind: fc.constantFrom("set" as const, "insert" as const, "remove" as const, "xor" as const),
      at: fc.nat(),
      bytes: fc.array(fc.oneof(fc.nat({ max: 255 }), fc.constantFrom(0, 1, 4, 127, 128, 255)), {
        minLength: 1,
        maxLength: 8,
      }),
    }),
  );

  function damaged(
    bytes: Uint8Array,
    { kind, at, bytes: other }: { kind: string; at: number; bytes: number[] },
  ) {
    const place = at % (bytes.length + 1);
    const copy = bytes.slice();
    switch (kind) {
      case "cut":
        return copy.subarray(0, place);
      case "insert":
        return concatenated(copy.subarray(0, place), other, copy.subarray(place));
      case "remove":
        return concatenated(copy.subarray(0, place), copy.subarray(place + other.length));
      default:
        other.forEach((byte, i) => {
          if (place + i < copy.length)
            copy[place + i] = kind === "xor" ? copy[place + i]! ^ (1 << (byte % 8)) : byte;
        });
        return copy;
    }
  }

  const origin = fc.oneof(
    fc.constantFrom(...files).map(read),
    arbitrarySchema().map(
      (schema) => new Uint8Array(Buffer.from(encodeSchemaMessage(schema), "base64")),
    ),
  );

  it("are refused, or are schemas that can be written again", () => {
    let accepted = 0;
    fc.assert(
      fc.property(origin, fc.array(damage, { minLength: 1, maxLength: 4 }), (bytes, damages) => {
        const broken = damages.reduce(damaged, bytes);
        if (faultOf(broken) !== null) return;
        accepted++;
        const schema = parseSchemaMessage(broken);
        expect(schemaText(parseSchemaMessage(encodeSchemaMessage(schema)))).toBe(
          schemaText(schema),
        );
      }),
      { numRuns: 4000 },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it("do no harm wherever one bit is flipped", () => {
    for (const file of ["bare-nested.bin", "schema-dictionaries.bin", "schema-metadata.bin"]) {
      const bytes = read(file);
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = bytes.slice();
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        faultOf(flipped);
      }
    }
  });

  it("may be anything", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        faultOf(bytes);
        faultOf(Buffer.from(bytes).toString("latin1"));
      }),
      { numRuns: 2000 },
    );
  });
});
