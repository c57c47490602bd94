import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrameKind, FrameReader, frameHeader } from "./frames.ts";

const frame = (kind: FrameKind, payload: Uint8Array): Buffer =>
  Buffer.concat([frameHeader(kind, payload.byteLength), payload]);

describe("FrameReader", () => {
  it("puts frames together, however the stream is cut", () => {
    const frames = fc.array(
      fc.record({
        kind: fc.constantFrom<FrameKind>("message", "data"),
        payload: fc.uint8Array({ maxLength: 20 }),
      }),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(frames, fc.array(fc.nat(9)), (written, cuts) => {
        let rest = Buffer.concat(written.map(({ kind, payload }) => frame(kind, payload)));
        const chunks = cuts.map((bytes) => {
          const chunk = rest.subarray(0, bytes);
          rest = rest.subarray(bytes);
          return chunk;
        });
        const reader = new FrameReader(20);
        const read = [...chunks, rest].flatMap((chunk) => reader.push(chunk));
        expect(read.map(({ kind, payload }) => [kind, [...payload]])).toEqual(
          written.map(({ kind, payload }) => [kind, [...payload]]),
        );
      }),
    );
  });

  it("refuses what is larger than agreed before it comes, and what is of no kind", () => {
    expect(() => new FrameReader(20).push(frameHeader("data", 21))).toThrow("a frame of 21 bytes");
    expect(() => new FrameReader(20).push(Buffer.from([0, 0, 0, 0, 9]))).toThrow("no known kind");
  });
});
