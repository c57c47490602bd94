import { Readable } from "node:stream";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fingerprintOf } from "./fingerprint.ts";

const caller = { kind: "api_key", subject: "key", scopes: new Set(["*"]) } as const;

const digestOf = (
  headers: Readonly<Record<string, string>>,
  chunks: readonly Uint8Array[],
): Promise<string> => {
  const source = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: false },
  );
  const { body, digest } = fingerprintOf(caller, "POST", "/v1/uploads", headers, source);
  body.resume();
  return digest();
};

/** The bytes, cut at these places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length];
  at.sort((a, b) => a - b);
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

const form = (boundary: string, parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap((part) => [Buffer.from(`--${boundary}\r\n\r\n`), part, Buffer.from("\r\n")]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
const formType = (boundary: string) => ({
  "content-type": `multipart/form-data; boundary="${boundary}"`,
});

// Few letters, so that contents are often like the beginning of a boundary.
const letters = (more: string) =>
  fc
    .string({ unit: fc.constantFrom("-", "e", "d", ...more), maxLength: 12 })
    .map((text) => Buffer.from(text));
const parts = fc.array(letters("\r\n"), { maxLength: 4 });
const places = fc.array(fc.nat(200), { maxLength: 12 });
const boundary = fc.constantFrom("XX", "edgX", "eeddX", "-X-");

describe("the fingerprint of a request", () => {
  it("of a multipart body is of its parts: neither of its boundary nor of how it came", async () => {
    await fc.assert(
      fc.asyncProperty(parts, boundary, boundary, places, places, async (sent, a, b, x, y) => {
        const first = await digestOf(formType(a), cut(form(a, sent), x));
        expect(await digestOf(formType(b), cut(form(b, sent), y))).toBe(first);
      }),
    );
  });

  it("of a multipart body differs where a part does", async () => {
    await fc.assert(
      fc.asyncProperty(parts, parts, boundary, places, async (sent, other, edge, at) => {
        fc.pre(!form(edge, sent).equals(form(edge, other)));
        const first = await digestOf(formType(edge), cut(form(edge, sent), at));
        expect(await digestOf(formType(edge), cut(form(edge, other), at))).not.toBe(first);
      }),
    );
  });

  it("of any other body is of its bytes, its media type and its coding", async () => {
    const csv = { "content-type": "text/csv" };
    const bytes = [Buffer.from('{"a":1}')];
    const first = await digestOf(csv, bytes);
    expect(await digestOf({ "content-type": "Text/CSV" }, cut(bytes[0]!, [1, 3]))).toBe(first);
    const others = [
      digestOf(csv, [Buffer.from('{"a":2}')]),
      digestOf({ "content-type": "application/x-ndjson" }, bytes),
      digestOf({ "content-type": "text/csv; header=absent" }, bytes),
      digestOf({ ...csv, "content-encoding": "gzip" }, bytes),
      digestOf({}, bytes),
    ];
    const digests = new Set([first, ...(await Promise.all(others))]);
    expect(digests.size).toBe(6);
  });
});
