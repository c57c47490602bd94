import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import type { Line, ParsedDocument } from "../../parsing/normal-form.ts";
import { parseText } from "../../parsing/parse.ts";
import { alternatesInFace, stackedRows } from "./stacked-rows.ts";

const rowsOf = (...lines: readonly string[]) => {
  const { labels, answers, pairs } = stackedRows(
    documentText(parseText("a.txt", lines.join("\n"))),
  );
  return { labels: [...labels], answers: [...answers], pairs: [...pairs] };
};

/** Pieces of a line on a page: what is written, its size and whether it is bold. */
type Piece = readonly [text: string, size: number, bold: boolean];

function page(...rows: readonly (readonly Piece[])[]) {
  const lines = rows.map(
    (pieces, row): Line => ({
      spans: pieces.map(([text, size, bold], column) => ({
        text,
        size,
        bold,
        box: [column * 150, row * 20, column * 150 + text.length * 5, row * 20 + size],
      })),
    }),
  );
  const document: ParsedDocument = {
    ...parseText("a.txt", "-"),
    pages: [{ number: 1, width: 600, height: 800, blocks: [{ kind: "paragraph", lines }] }],
  };
  return documentText(document);
}

const small = (text: string): Piece => [text, 7, false];
const plain = (text: string): Piece => [text, 10, false];
const bold = (text: string): Piece => [text, 10, true];

describe("rows of labels over rows of answers", () => {
  test("show by the numbers of a form's boxes, whatever the labels say", () => {
    const form = ["b Qualm    1 Zorbs", "Ann Lee    9.00", "c Frobs", "Rome"];
    expect(rowsOf(...form)).toMatchObject({ labels: [0, 2], answers: [1, 3] });
  });

  test("have powers of units, and end where an answer's next line begins with a number", () => {
    const form = page(
      [small("1 Sender"), small("Note No.")],
      [plain("Turner Ltd"), plain("CE9236990")],
      [plain("88 Jones Crossing")],
      [plain("Webbury")],
      [small("11 Weight (kg)"), small("12 Volume (m³)")],
      [plain("120"), plain("1.5")],
    );
    expect([...stackedRows(form).labels]).toEqual([0, 4]);
  });

  test("show by blank lines around each pair of rows, where answers have figures", () => {
    const form = ["Qualm    Zorbs", "Ann Lee    9", "", "Frobs    Wibble", "Rome    Fall"];
    expect(rowsOf(...form).labels).toEqual([0, 2]);
    expect(rowsOf("Qualm    Zorbs", "Ann Lee    9", "", "Ann sold it.").labels).toEqual([]);
  });

  test("are no table, whose rows go on under one header", () => {
    expect(rowsOf("Qualm    Zorbs", "Ann Lee    9", "Ben Day    7").labels).toEqual([]);
    const table = page(
      [small("Qualm"), small("Zorbs")],
      [plain("Ann"), plain("9")],
      [plain("Ben"), plain("7")],
    );
    expect(stackedRows(table).labels.size).toBe(0);
  });

  test("show by their size, or by a face that comes again", () => {
    const boxes = page([small("Qualm"), small("Zorbs")], [plain("Ann"), plain("Rome")]);
    expect([...stackedRows(boxes).labels]).toEqual([0]);
    const faces = [
      [bold("Qualm"), bold("Zorbs")],
      [plain("Ann"), plain("Rome 3")],
      [bold("Frobs"), bold("Wibble")],
      [plain("Ben"), plain("Fall")],
    ] as const;
    expect([...stackedRows(page(...faces)).labels]).toEqual([0, 2]);
    expect(stackedRows(page(...faces.slice(0, 2))).labels.size).toBe(0);
  });
});

describe("labels and answers in turn", () => {
  test("show by figures in each second place, not by a table's columns", () => {
    const form = ["Qualm    Ann Lee    Zorbs    9", "Frobs    Rome    Wibble    X7"];
    expect(rowsOf(...form).pairs).toEqual([0, 1]);
    const table = [
      "Name    Age    Town    Code",
      "Ann    12    Rome    31",
      "Ben    9    Bonn    47",
    ];
    expect(rowsOf(...table).pairs).toEqual([]);
  });

  test("show by their faces", () => {
    const [line] = page([bold("Qualm"), plain("Ann"), bold("Zorbs"), plain("Rome")]).lines;
    expect(alternatesInFace(line!)).toBe(true);
    const [other] = page([bold("Qualm"), bold("Ann"), bold("Zorbs"), bold("Rome")]).lines;
    expect(alternatesInFace(other!)).toBe(false);
  });
});
