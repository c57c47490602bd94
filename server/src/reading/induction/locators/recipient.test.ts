import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locate } from "./locate.ts";
import { locatorSchema } from "./locator.ts";

const find = (kind: ValueKind, ...lines: readonly string[]) =>
  locate(
    documentText(parseText("a.txt", lines.join("\n"))),
    locatorSchema.parse({ kind: "position", region: "recipient" }),
    { kind, multiple: false, enum: [] },
    NEUTRAL_CONVENTIONS,
  ).map(({ normal }) => normal);

const LETTER = [
  "Riverside Water Ltd",
  "4 Dock Road",
  "Leeds LS2 7EW",
  "",
  "Emily Whitfield          Account: 4711",
  "106 Market Square        Date: 4 May 2024",
  "Portland, OR 97205",
  "",
  "Dear customer,",
];

describe("to whom a document is sent", () => {
  test("stands over an address that is not the sender's", () => {
    expect(find("person", ...LETTER)).toEqual(["Emily Whitfield"]);
    expect(find("address", ...LETTER)).toEqual(["106 Market Square, Portland, OR 97205"]);
  });

  test("is no line of the letterhead", () => {
    const shop = [
      "Corner shop",
      "Robinson Trading",
      "12 Mill Lane",
      "Leeds LS2 7EW",
      "",
      "Total 4",
    ];
    expect(find("organization", ...shop)).toEqual([]);
  });

  test("is not who has a label", () => {
    const labelled = ["Beta Inc.", "", "Supplier", "Acme Ltd", "12 Mill Lane", "Leeds LS2 7EW"];
    expect(find("organization", ...labelled)).toEqual([]);
    const beside = ["Beta Inc.", "", "Agent:   Ann Lee Cole", "12 Mill Lane", "Leeds LS2 7EW"];
    expect(find("person", ...beside)).toEqual([]);
  });
});
