import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArrowFileError } from "./file-error.ts";
import { decompressLz4Frame } from "./lz4-frame.ts";

const text = (value: string) => [...Buffer.from(value, "latin1")];
const MAGIC = [0x04, 0x22, 0x4d, 0x18];
/** Flags, the block size, and the header's checksum, which is passed over. */
const HEADER = [...MAGIC, 0b0110_0000, 0x70, 0];
const END = [0, 0, 0, 0];

function block(bytes: readonly number[], isStored = false): number[] {
  return [bytes.length, bytes.length >> 8, 0, isStored ? 0x80 : 0, ...bytes].map(
    (byte) => byte & 255,
  );
}

const decoded = (bytes: readonly number[], length: number) =>
  Buffer.from(decompressLz4Frame(Uint8Array.from(bytes), length)).toString("latin1");

/** A match of so many bytes at an offset, with literals before it. */
function sequence(literals: string, offset: number, length: number): number[] {
  const [first, second] = [literals.length, length - 4];
  const more = (value: number) =>
    value < 15
      ? []
      : [...Array.from({ length: Math.floor((value - 15) / 255) }, () => 255), (value - 15) % 255];
  return [
    (Math.min(first, 15) << 4) | Math.min(second, 15),
    ...more(first),
    ...text(literals),
    offset & 255,
    offset >> 8,
    ...more(second),
  ];
}

describe("an LZ4 frame", () => {
  it("has stored blocks", () => {
    expect(decoded([...HEADER, ...block(text("as it is"), true), ...END], 8)).toBe("as it is");
  });

  it("has matches, those that overlap what they make too", () => {
    const bytes = [...sequence("abcd", 4, 8), ...sequence("", 1, 300), 0x20, ...text("xy")];
    expect(decoded([...HEADER, ...block(bytes), ...END], 314)).toBe(
      `abcdabcdabcd${"d".repeat(300)}xy`,
    );
  });

  it("has long literals", () => {
    const literals = "0123456789".repeat(60);
    expect(
      decoded([...HEADER, ...block([...sequence(literals, 600, 70), 0x10, 33]), ...END], 671),
    ).toBe(`${literals}${literals.slice(0, 70)}!`);
  });

  it("has blocks that refer to those before", () => {
    const bytes = [
      ...HEADER,
      ...block(text("abcdefgh"), true),
      ...block([...sequence("", 8, 8), 0]),
      ...END,
    ];
    expect(decoded(bytes, 16)).toBe("abcdefghabcdefgh");
  });

  it("may have its size and checksums of its blocks", () => {
    const header = [...MAGIC, 0b0111_1000, 0x70, ...[3, 0, 0, 0, 0, 0, 0, 0], 0];
    expect(decoded([...header, ...block(text("abc"), true), 1, 2, 3, 4, ...END], 3)).toBe("abc");
  });

  it.each([
    ["nothing", [], 0],
    ["another format", [...text("not a frame at all")], 4],
    ["a frame without its end", [...HEADER, ...block(text("abc"), true)], 3],
    ["fewer bytes than it declares", [...HEADER, ...block(text("abc"), true), ...END], 4],
    ["more bytes than it declares", [...HEADER, ...block(text("abc"), true), ...END], 2],
    [
      "a match before the beginning",
      [...HEADER, ...block([...sequence("ab", 3, 4), 0]), ...END],
      6,
    ],
    ["a match at no distance", [...HEADER, ...block([...sequence("ab", 0, 4), 0]), ...END], 6],
    ["a match beyond its size", [...HEADER, ...block([...sequence("ab", 1, 400), 0]), ...END], 6],
    ["literals that are not there", [...HEADER, ...block([0xf0, 255, 255]), ...END], 900],
  ])("that has %s is refused", (_, bytes, length) => {
    expect(() => decoded(bytes, length)).toThrow(ArrowFileError);
  });

  it("of any bytes is decoded or refused", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 255 }), { maxLength: 40 }),
        fc.nat({ max: 99 }),
        (bytes, length) => {
          const frame = [...HEADER, ...block(bytes), ...END];
          try {
            expect(decoded(frame, length)).toHaveLength(length);
          } catch (error) {
            expect(error).toBeInstanceOf(ArrowFileError);
          }
        },
      ),
    );
  });
});
