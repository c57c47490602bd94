import { describe, expect, it } from "vitest";
import { csvOf } from "./csv.ts";

const column = (name: string) => ({ name, type: "Utf8" });

describe("csvOf", () => {
  it("quotes what would be read otherwise, and tells empty from missing", async () => {
    const columns = ["a", "b,c", "d"].map(column);
    const rows = [
      { a: 1, "b,c": 'say "x"', d: null },
      { a: true, "b,c": "", d: { k: [1] } },
      { a: "two\nlines", "b,c": " edge", d: "9007199254740993" },
    ];
    expect(await csvOf({ columns, rows }).text()).toBe(
      [
        'a,"b,c",d',
        '1,"say ""x""",',
        'true,"","{""k"":[1]}"',
        '"two\nlines"," edge",9007199254740993',
        "",
      ].join("\r\n"),
    );
  });
});
