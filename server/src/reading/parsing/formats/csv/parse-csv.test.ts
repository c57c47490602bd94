import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asOneLine } from "../../characters.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import { outline } from "../../testing/outline.ts";
import { parseCsv } from "./parse-csv.ts";

const outlineOf = (text: string): string[] | null => {
  const document = parseCsv(text, PARSING_LIMITS);
  return document === null ? null : outline(document);
};

describe("CSV", () => {
  it("is a table with a header row", () => {
    expect(outlineOf('\ufeffname,note\r\nAnn,"a, ""b"""\r\n\r\nBo,"two\nlines"\r\n')).toEqual([
      "th: name | note",
      'td: Ann | a, "b"',
      "td: Bo | two/lines",
    ]);
  });

  it("is parted by what parts its lines alike", () => {
    expect(outlineOf("a;b\n1,5;2\n2,5;3")).toEqual(["th: a | b", "td: 1,5 | 2", "td: 2,5 | 3"]);
    expect(outlineOf("a\tb\n1, 2\t3")).toEqual(["th: a | b", "td: 1, 2 | 3"]);
  });

  it("may have rows of other lengths, and quotes that do not pair", () => {
    expect(outlineOf("a,b,c\n1,2\n3,4,5,6\n7,8,9")?.[2]).toBe("td: 3 | 4 | 5 | 6");
    expect(outlineOf('a,b\n5" pipe,1\n"x,2')).toEqual([
      "th: a | b",
      'td: 5" pipe | 1',
      'td: "x | 2',
    ]);
  });

  it("is no table with one column", () => {
    expect(outlineOf("just\nlines")).toBeNull();
  });

  it("gives back any table that is written by the rules", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", "1", ",", '"', "\n", ";", " ", "é", "|") });
    const table = fc.integer({ min: 2, max: 4 }).chain((columns) =>
      fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), {
        minLength: 2,
        maxLength: 6,
      }),
    );
    fc.assert(
      fc.property(table, (rows) => {
        const header = rows[0]!.map((_, index) => `c${index}`);
        const quoted = rows.map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`));
        const text = [header, ...quoted].map((row) => row.join(",")).join("\r\n");
        const block = parseCsv(text, PARSING_LIMITS)?.pages[0]?.blocks[0];
        const found = block?.kind === "table" ? block.rows : [];
        expect(
          found.map((row) =>
            row.map(({ lines }) =>
              lines.map(({ spans }) => spans.map(({ text: one }) => one).join("")).join(" "),
            ),
          ),
        ).toEqual([header, ...rows.map((row) => row.map(asOneLine))]);
      }),
    );
  });
});
