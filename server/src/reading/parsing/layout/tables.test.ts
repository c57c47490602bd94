import { describe, expect, it } from "vitest";
import type { Block } from "../normal-form.ts";
import type { GlyphRun } from "./glyph-run.ts";
import { layOut } from "./lay-out.ts";
import { regionsOf } from "./regions.ts";

const SIZE = 10;
/** Points; of every letter. */
const PITCH = 5;

/** @param right where it ends, of figures that are set right */
function run(text: string, baseline: number, place: { left?: number; right?: number }): GlyphRun {
  const width = PITCH * text.length;
  const left = place.left ?? place.right! - width;
  return { text, left, right: left + width, baseline, size: SIZE, bold: false, confidence: null };
}

function blocks(runs: readonly GlyphRun[]): Block[] {
  const page = { number: 1, width: 612, height: 792, regions: regionsOf(runs), apart: [] };
  return layOut([page])[0]!.blocks;
}

/** Cells as text, `/` between their lines; a number where one takes several columns. */
function rows(block: Block | undefined): (string | number)[][] {
  if (block?.kind !== "table") throw new Error("the block is no table");
  return block.rows.map((cells) =>
    cells.flatMap(({ lines, columns }) => {
      const text = lines.map(({ spans }) => spans.map((span) => span.text).join(" ")).join("/");
      return columns === undefined ? [text] : [text, columns];
    }),
  );
}

const figures = (cells: readonly string[], baseline: number): GlyphRun[] =>
  cells.flatMap((cell, index) =>
    cell === "" ? [] : run(cell, baseline, { right: [300, 380, 460][index]! }),
  );

describe("tables", () => {
  it("reads headers of several columns, and labels between them and the rows", () => {
    const found = blocks([
      run("Three months ended", 90, { left: 275 }),
      ...figures(["2022", "2021"], 102),
      run("Net sales:", 114, { left: 50 }),
      run("Products", 126, { left: 50 }),
      ...figures(["63,355", "63,948"], 126),
      run("Services", 138, { left: 50 }),
      ...figures(["19,604", "17,486"], 138),
      run("Other income, net", 150, { left: 50 }),
      ...figures(["(10)", "—"], 150),
    ]);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ kind: "table", headerRows: 2 });
    expect(rows(found[0])).toEqual([
      ["", "Three months ended", 2],
      ["", "2022", "2021"],
      ["Net sales:", "", ""],
      ["Products", "63,355", "63,948"],
      ["Services", "19,604", "17,486"],
      ["Other income, net", "(10)", "—"],
    ]);
  });

  it("parts a header that stands over two columns in one piece", () => {
    const found = blocks([
      run("Item", 100, { left: 50 }),
      run("VAT Unit price", 100, { right: 380 }),
      run("Amount", 100, { right: 460 }),
      run("Espresso machine", 115, { left: 50 }),
      ...figures(["", "399.00", "798.00"], 115),
      run("21%", 115, { left: 310 }),
      run("Filter", 130, { left: 50 }),
      ...figures(["", "1.20", "12.00"], 130),
      run("21%", 130, { left: 310 }),
    ]);
    expect(rows(found[0])[0]).toEqual(["Item", "VAT", "Unit price", "Amount"]);
  });

  it("joins lines that go on with a cell", () => {
    const item = (baseline: number, count: string): GlyphRun[] => [
      run(count, baseline, { left: 50 }),
      run("Mailbox for a month", baseline, { left: 100 }),
      run("from 1 to 31 May", baseline + 14, { left: 100 }),
      ...figures(["", "3.89", "3.89"], baseline),
    ];
    const found = blocks([
      ...["No.", "Description"].map((text, index) => run(text, 100, { left: 50 + 50 * index })),
      ...figures(["", "Price", "Amount"], 100),
      ...item(115, "1"),
      ...item(143, "2"),
    ]);
    expect(found).toHaveLength(1);
    expect(rows(found[0]).slice(1)).toEqual([
      ["1", "Mailbox for a month/from 1 to 31 May", "3.89", "3.89"],
      ["2", "Mailbox for a month/from 1 to 31 May", "3.89", "3.89"],
    ]);
  });

  it.each([
    [
      "pairs of labels and figures beside each other",
      [1, 2, 3, 4].flatMap((row) => [
        run(`Net ${row}`, 100 + 14 * row, { left: 50 }),
        run("593.36", 100 + 14 * row, { right: 200 }),
        run(`Gross ${row}`, 100 + 14 * row, { left: 300 }),
        run("717.97", 100 + 14 * row, { right: 460 }),
      ]),
    ],
    [
      "a form's fields",
      [
        "Customer number:",
        "Order number:",
        "Phone:",
        "Fax:",
        "Floor:",
        "Door:",
        "Lot:",
        "Age:",
      ].flatMap((label, row) => [
        run(label, 100 + 14 * row, { left: 50 }),
        run(`${77 + row}`, 100 + 14 * row, { right: 300 }),
      ]),
    ],
    [
      "addresses beside each other",
      ["Ada Lovelace", "12 St James's Square", "London SW1", "England"].flatMap((line, row) => [
        run(line, 100 + 14 * row, { left: 50 }),
        run(line, 100 + 14 * row, { left: 300 }),
      ]),
    ],
  ])("takes %s for lines", (_, runs) => {
    expect(blocks(runs).map(({ kind }) => kind)).not.toContain("table");
  });
});

describe("labels in bold letters", () => {
  const bold = (text: string, baseline: number, left: number): GlyphRun => ({
    ...run(text, baseline, { left }),
    bold: true,
  });
  const spans = (...runs: GlyphRun[]): string[] => {
    const [block] = blocks(runs);
    if (block?.kind !== "paragraph") throw new Error("the block is no paragraph");
    return block.lines[0]!.spans.map(({ text }) => text);
  };

  it("stand apart from the value a space behind them", () => {
    expect(spans(bold("Gate", 100, 50), run("B12", 100, { left: 75 }))).toEqual(["Gate", "B12"]);
    // One that a sentence stresses, the beginning of a word, and two of them do not.
    const sentence = run("shall pay what is due at once, and", 100, { left: 85 });
    expect(spans(bold("Tenant", 100, 50), sentence)).toHaveLength(1);
    expect(spans(bold("Vol", 100, 50), run("ume", 100, { left: 65 }))).toEqual(["Volume"]);
    const both = [bold("Gate", 100, 50), run("B12", 100, { left: 75 }), bold("now", 100, 95)];
    expect(spans(...both)).toEqual(["Gate B12 now"]);
  });
});
