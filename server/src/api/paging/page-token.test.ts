import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { UnprocessableError } from "../../platform/input/problem.ts";
import { cutPage, PageTokens } from "./page-token.ts";

const tokens = new PageTokens("secret", "jobs", z.tuple([z.string(), z.int()]));
const filter = fc.array(fc.oneof(fc.string(), fc.constant(null), fc.integer()));
const cursor = fc.tuple(fc.string({ unit: "grapheme" }), fc.integer());

describe("page tokens", () => {
  it("carry a cursor through", () => {
    fc.assert(
      fc.property(filter, cursor, (asked, at) => {
        const token = tokens.encode(asked, at);
        expect(token).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(tokens.decode(asked, token)).toEqual(at);
      }),
    );
    expect(tokens.decode([], undefined)).toBeUndefined();
  });

  it("are refused with 422 when changed in any character, or made up", () => {
    const token = tokens.encode(["o"], ["2026-01-01", 5]);
    for (let at = 0; at < token.length; at++) {
      const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect(() => tokens.decode(["o"], changed)).toThrow(UnprocessableError);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => tokens.decode([], text)).toThrow(UnprocessableError);
      }),
    );
    for (const odd of [`${token}=`, `${token} `, token.slice(0, -1), "", "%"]) {
      expect(() => tokens.decode(["o"], odd)).toThrow(UnprocessableError);
    }
  });

  it("belong to one list, one filter and one secret", () => {
    const token = tokens.encode(["o", "failed"], ["x", 1]);
    const of = (secret: string, list: string) =>
      new PageTokens(secret, list, z.tuple([z.string(), z.int()]));
    expect(() => tokens.decode(["o", "running"], token)).toThrow(UnprocessableError);
    expect(() => of("secret", "models").decode(["o", "failed"], token)).toThrow(UnprocessableError);
    expect(() => of("other", "jobs").decode(["o", "failed"], token)).toThrow(UnprocessableError);
    expect(of("secret", "jobs").decode(["o", "failed"], token)).toEqual(["x", 1]);
  });

  it("cut pages that together are the list", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 10 }), (rows, limit) => {
        const seen: number[] = [];
        let start = 0;
        for (;;) {
          const { entries, next_page_token } = cutPage(
            rows.slice(start, start + limit + 1),
            limit,
            () => String(start + limit),
          );
          seen.push(...entries);
          if (next_page_token === null) break;
          start = Number(next_page_token);
        }
        expect(seen).toEqual(rows);
      }),
    );
  });
});
