import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseMarkup } from "../../parsing/formats/html/parse-html.ts";
import { PARSING_LIMITS } from "../../parsing/limits.ts";
import type { SampleDocument } from "../inducer.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { proposeColumns } from "./columns.ts";

type Rows = readonly (readonly string[])[];

function documentOf(id: string, header: readonly string[], rows: Rows): SampleDocument {
  const row = (tag: string, cells: readonly string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  const html = `<table>${row("th", header)}${rows.map((cells) => row("td", cells)).join("")}</table>`;
  return { id, name: id, hash: id, content: documentText(parseMarkup(html, PARSING_LIMITS)) };
}

const ENGLISH = ["Pos", "Article", "Quantity", "Price"];
const GERMAN = ["Lfd.", "Artikel", "Menge", "Preis"];

const orders = [
  documentOf("a", ENGLISH, [
    ["1", "Ball bearing", "4", "1.50"],
    ["2", "Fuse", "20", "0.30"],
  ]),
  documentOf("b", ENGLISH, [
    ["1", "Gear motor", "1", "88.00"],
    ["2", "Air filter", "6", "7.25"],
    ["3", "Fuse", "12", "0.30"],
  ]),
  documentOf("c", GERMAN, [
    ["1", "Kugellager", "8", "1.70"],
    ["2", "Luftfilter", "2", "7.50"],
  ]),
];

const namesOf = (documents: readonly SampleDocument[]): string[] =>
  proposeColumns(documents, NEUTRAL_CONVENTIONS).proposals.map(({ name }) => name);

describe("columns of items", () => {
  test("are proposed, with how many rows there are, but not the rows' numbers", () => {
    expect(namesOf(orders).sort()).toEqual([
      "Article count",
      "Article list",
      "Price list",
      "Quantity list",
    ]);
  });

  test("are one in two languages where they stand in the same places", () => {
    const { proposals } = proposeColumns(orders, NEUTRAL_CONVENTIONS);
    const quantity = proposals.find(({ name }) => name === "Quantity list")!;
    expect(quantity.labels).toEqual(["Quantity", "Menge"]);
    expect(quantity.sightings.map(({ finding }) => finding.normal)).toEqual([
      "4; 20",
      "1; 6; 12",
      "8; 2",
    ]);
  });

  test("are none where documents share their rows: those are fields", () => {
    const report = (id: string, n: number): SampleDocument =>
      documentOf(
        id,
        ["Test", "Result", "Unit"],
        [
          ["Hemoglobin", String(12 + n), "g/dL"],
          ["Glucose", String(90 + n), "mg/dL"],
          ["Potassium", String(4 + n), "mmol/L"],
        ],
      );
    expect(namesOf([report("a", 1), report("b", 2), report("c", 3)])).toEqual([]);
  });

  test("are none where those of one header share their rows, unless these are goods", () => {
    const card = (id: string, header: readonly string[], names: readonly string[]) =>
      documentOf(
        id,
        header,
        names.map((name, index) => [name, String(50 + index), "Good effort"]),
      );
    const english = ["Maths", "History", "Art", "Science"];
    const french = ["Mathématiques", "Histoire", "Dessin", "Chimie"];
    const cards = (one: readonly string[], other: readonly string[]) => [
      ...["a", "b", "c"].map((id) => card(id, one, english)),
      ...["d", "e", "f"].map((id) => card(id, other, french)),
    ];
    expect(namesOf(cards(["Subject", "Mark", "Remark"], ["Matière", "Note", "Avis"]))).toEqual([]);
    const goods = namesOf(
      cards(["Article", "Quantity", "Remark"], ["Produit", "Quantité", "Avis"]),
    );
    expect(goods).toContain("Article list");
  });

  test("are none of tests, whose units are no quantities", () => {
    const reports = ["a", "b", "c"].map((id, index) =>
      documentOf(
        id,
        ["Determinación", "Resultado", "Unidades", "Valores de referencia"],
        [
          ["Hemoglobina", `1${index}.9`, "g/dL", "12 - 16"],
          ["Glucosa", `11${index}`, "mg/dL", "70 - 110"],
        ],
      ),
    );
    expect(namesOf(reports)).toEqual([]);
  });

  test("tell what stands among items from labels and their values", () => {
    const { isAmongItems } = proposeColumns(orders, NEUTRAL_CONVENTIONS);
    const { text } = orders[0]!.content;
    const findingAt = (written: string) => {
      const start = text.indexOf(written);
      const end = start + written.length;
      return { normal: written, unit: null, text: written, start, end, page: 1, confidence: 1 };
    };
    expect(isAmongItems("a", findingAt("Ball bearing"))).toBe(true);
    expect(isAmongItems("a", findingAt("Quantity"))).toBe(false);
  });
});
