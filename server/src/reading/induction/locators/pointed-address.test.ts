import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { locateLabel } from "./label.ts";
import { locatorSchema } from "./locator.ts";

function find(label: string, ...lines: readonly string[]) {
  const locator = locatorSchema.parse({
    kind: "label",
    labels: [label],
    where: ["right", "below"],
  });
  if (locator.kind !== "label") throw new Error("not a label");
  const content = documentText(parseText("a.txt", lines.join("\n")));
  const target = { kind: "address" as const, multiple: false, enum: [] };
  const [found] = locateLabel(content, locator, target, NEUTRAL_CONVENTIONS);
  if (found !== undefined) expect(content.text.slice(found.start, found.end)).toBe(found.text);
  return found?.normal ?? null;
}

describe("an address that a label points at", () => {
  const columns = [
    "Vendor                       Ship to",
    "Acme Ltd                     Globex Inc.",
    "12 Mill Lane                 Purchasing Department",
    "Leeds LS2 7EW                9 Harbour Street",
    "                             Bristol BS1 4ND",
  ];

  test("goes on in its column, behind the names over it", () => {
    expect(find("vendor", ...columns)).toBe("12 Mill Lane, Leeds LS2 7EW");
    expect(find("ship to", ...columns)).toBe("9 Harbour Street, Bristol BS1 4ND");
  });

  test("ends before a day", () => {
    const lines = ["Property:", "12 Mill Lane", "Leeds LS2 7EW", "15 October 2023"];
    expect(find("property", ...lines)).toBe("12 Mill Lane, Leeds LS2 7EW");
  });

  test("follows a name in its line", () => {
    expect(find("sede", "Sede: Lungotevere Testaccio, 145, 00153 Roma")).toBe(
      "Lungotevere Testaccio, 145, 00153 Roma",
    );
    expect(find("sede", "Sede: Corso Italia, 145, 68172 Parma")).toBe(
      "Corso Italia, 145, 68172 Parma",
    );
    const line = "Lieferant: Holzbau Reuter, Lindenstraße 9, 04109 Leipzig";
    expect(find("lieferant", line)).toBe("Lindenstraße 9, 04109 Leipzig");
    expect(find("adresse", "Adresse: 104, avenue Jean Jaurès, 44000 Nantes")).toBe(
      "104, avenue Jean Jaurès, 44000 Nantes",
    );
  });

  test("takes nothing of the labels below", () => {
    expect(
      find("address", "Address     12 Mill Lane, Leeds LS2 7EW", "Payer       Quayside Merchants"),
    ).toBe("12 Mill Lane, Leeds LS2 7EW");
  });
});
