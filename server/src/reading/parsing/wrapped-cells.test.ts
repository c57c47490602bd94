import { describe, expect, test } from "vitest";
import { parsePlainText } from "./formats/text/parse-text.ts";
import type { GlyphRun } from "./layout/glyph-run.ts";
import { regionsOf } from "./layout/regions.ts";
import { withWrappedCells } from "./layout/wrapped-rows.ts";
import { outline } from "./testing/outline.ts";

const read = (...lines: readonly string[]): string[] => outline(parsePlainText(lines.join("\n")));

describe("cells of text that are wrapped", () => {
  test("go on by small letters, by lists that are not done, and where the next word had no room", () => {
    expect(
      read(
        "Kunde                     Ansprechpartner   Zahlung                 Gültig bis",
        "Börner Hesse GmbH & Co.   Timm Margraf      30 Tage netto ab        08.07.2026",
        "KG                                          Rechnungsdatum",
        "Gill, Townsend and        Ann Lee           zahlbar sofort          09.07.2026",
        "Pearson",
      ),
    ).toEqual([
      "p: Kunde ¦ Ansprechpartner ¦ Zahlung ¦ Gültig bis" +
        " / Börner Hesse GmbH & Co. KG ¦ Timm Margraf ¦ 30 Tage netto ab Rechnungsdatum ¦ 08.07.2026" +
        " / Gill, Townsend and Pearson ¦ Ann Lee ¦ zahlbar sofort ¦ 09.07.2026",
    ]);
  });

  test("have their labels and accounts on several lines, too", () => {
    expect(
      read(
        "Consumo facturado (kWh):     120",
        "Cuenta (IBAN):               ES47 3531 6136 4122",
        "                             2071 9743",
        "Trabajo:                     Sustitución de la junta y",
        "                             ajuste de la bisagra",
      ),
    ).toEqual([
      "p: Consumo facturado (kWh): ¦ 120 / Cuenta (IBAN): ¦ ES47 3531 6136 4122 2071 9743" +
        " / Trabajo: ¦ Sustitución de la junta y ajuste de la bisagra",
    ]);
  });

  test("are none of an address, of the next row, or of answers under labels", () => {
    for (const lines of [
      ["Turner Ltd            CE9236990", "88 Jones Crossing", "Webbury SO77 5NX"],
      ["Vendor      Ship to", "Acme Ltd    Beta Inc."],
      ["apple tree      red", "pear tree       green"],
      ["Species name    Status now", "felis catus     alive"],
      ["Sub-total       100.00", "incl. tax:      20.00"],
      ["DESCRIPTION  QTY  PRICE", "KOPI (B)"],
    ]) {
      expect(
        read(...lines)
          .join(" / ")
          .split(" / "),
      ).toHaveLength(lines.length);
    }
  });
});

test("cells of a page are joined where they are set alike, one line below the other", () => {
  const run = (text: string, left: number, baseline: number, bold = false): GlyphRun => ({
    text,
    left,
    right: left + 5 * text.length,
    baseline,
    size: 10,
    bold,
    confidence: null,
  });
  const joined = (...runs: readonly GlyphRun[]): string[] =>
    regionsOf(runs).flatMap((lines) =>
      withWrappedCells(lines).map(({ spans }) => spans.map(({ text }) => text).join(" | ")),
    );
  const row = [run("Replaced the worn door seal and", 50, 20), run("2.5", 300, 20)];
  expect(joined(...row, run("adjusted the hinge", 50, 32), run("Paid", 50, 44))).toEqual([
    "Replaced the worn door seal and adjusted the hinge | 2.5",
    "Paid",
  ]);
  expect(joined(...row, run("adjusted the hinge", 50, 32, true))).toHaveLength(2);
  expect(joined(...row, run("adjusted the hinge", 50, 50))).toHaveLength(2);
});
