import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ObjectUrlSigner } from "./signed-url.ts";

const NOW = 1_800_000_000_000;
const secret = randomBytes(32);
const signer = new ObjectUrlSigner(secret, () => NOW);
const options = { expiresInSeconds: 900, fileName: "tree.bin", baseUrl: "http://127.0.0.1:8080" };

/** Key and query of a URL, as a server reads them. */
function read(href: string): [string, Record<string, string>] {
  const url = new URL(href);
  const key = decodeURIComponent(url.pathname.slice("/v1/objects/".length));
  return [key, Object.fromEntries(url.searchParams)];
}

/** Texts that base64 decoders read as the same 32 bytes: other bits behind the last, padding, signs. */
function spellings(signature: string): string[] {
  const bytes = Buffer.from(signature, "base64url");
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const others = [...digits]
    .map((digit) => signature.slice(0, -1) + digit)
    .concat(`${signature}=`, `${signature} `, bytes.toString("base64"))
    .filter((text) => text !== signature && Buffer.from(text, "base64url").equals(bytes));
  expect(others.length).toBeGreaterThanOrEqual(4);
  return others;
}

describe("signed URLs", () => {
  test("verify until they expire", () => {
    const [key, query] = read(signer.sign("models/1/tree.bin", options));
    expect(signer.verify(key, query)).toEqual({
      valid: true,
      fileName: "tree.bin",
      expiresAt: new Date(NOW + 900_000),
    });
    const at = (offset: number) => new ObjectUrlSigner(secret, () => NOW + offset);
    expect(at(899_000).verify(key, query).valid).toBe(true);
    expect(at(900_000).verify(key, query)).toEqual({ valid: false, reason: "expired" });
  });

  test("keep the path of a base URL", () => {
    const base = "https://ml.example.com/distillery";
    const url = signer.sign("models/1/tree.bin", { ...options, baseUrl: base });
    expect(url.startsWith(`${base}/v1/objects/models/1/tree.bin?expires=`)).toBe(true);
  });

  test("no other text stands for the same signature", () => {
    const [key, query] = read(signer.sign("models/1/tree.bin", options));
    for (const signature of spellings(query["signature"]!)) {
      expect(signer.verify(key, { ...query, signature }).valid).toBe(false);
    }
  });

  test("any key and file name survive the URL", () => {
    const segment = fc
      .string({ minLength: 1, unit: "grapheme" })
      .filter((text) => !/^\.\.?$|[\\/]/.test(text));
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        segment,
        (segments, fileName) => {
          const original = segments.join("/");
          const [key, query] = read(signer.sign(original, { ...options, fileName }));
          expect(key).toBe(original);
          expect(signer.verify(key, query)).toMatchObject({ valid: true, fileName });
        },
      ),
    );
  });

  test("one changed member is a forgery", () => {
    const [key, query] = read(signer.sign("models/1/tree.bin", options));
    const forged = { valid: false, reason: "forged" };
    expect(signer.verify("models/2/tree.bin", query)).toEqual(forged);
    expect(signer.verify(key, { ...query, expires: String(Number(query["expires"]) + 1) })).toEqual(
      forged,
    );
    expect(signer.verify(key, { ...query, name: "other" })).toEqual(forged);
    expect(new ObjectUrlSigner(randomBytes(32), () => NOW).verify(key, query)).toEqual(forged);
  });

  test("members cannot run into each other", () => {
    const [, query] = read(signer.sign("a/b", { ...options, fileName: "cd" }));
    expect(signer.verify("a/bc", { ...query, name: "d" })).toMatchObject({ valid: false });
  });

  test.each([
    {},
    { expires: "1", name: "x" },
    { expires: "soon", name: "x", signature: "A".repeat(43) },
    { expires: "1", name: "x", signature: "short" },
    { expires: ["1", "2"], name: "x", signature: "A".repeat(43) },
  ])("a malformed query is refused: %j", (query) => {
    expect(signer.verify("a", query)).toEqual({ valid: false, reason: "malformed" });
  });
});
