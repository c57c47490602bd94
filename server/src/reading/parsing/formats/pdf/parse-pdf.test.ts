import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentFault } from "../../document-fault.ts";
import { documentText } from "../../document-text.ts";
import { PARSING_LIMITS, type ParsingLimits } from "../../limits.ts";
import { type ParsedDocument, parsedDocumentSchema } from "../../normal-form.ts";
import { parsePdf } from "./parse-pdf.ts";
import { lines, type TestPage, text, writePdf } from "./testing/pdf-writer.ts";

const read = (...pages: TestPage[]): Promise<ParsedDocument> => parsePdf(writePdf(pages));

/** Lines with their spans, block by block. */
function shown(document: ParsedDocument): string[][] {
  return documentText(document).lines.map(({ spans }) => spans.map((span) => span.text));
}

const kinds = ({ pages }: ParsedDocument): string[] =>
  pages.flatMap(({ blocks }) => blocks.map(({ kind }) => kind));

const LEFT = [
  "The vendor shall deliver the goods to the",
  "place that the buyer has named in the order",
  "and shall bear the risk of their loss until",
  "they have been handed over to the buyer or",
  "to whomever the buyer has named instead.",
];
const RIGHT = [
  "Claims for defects lapse a year after the",
  "goods were handed over, unless the vendor",
  "knew of the defect and did not disclose it",
  "to the buyer; damages are limited to what",
  "could be foreseen when the order was made.",
];

describe("lines and spans", () => {
  it("parts a label from its value and joins words", async () => {
    const document = await read({
      content:
        text("Invoice number:", { x: 50, y: 700 }) +
        text("2022-17", { x: 200, y: 700 }) +
        text("Total", { x: 50, y: 680 }) +
        text("due", { x: 76, y: 680 }),
    });
    expect(shown(document)).toEqual([["Invoice number:", "2022-17"], ["Total due"]]);
    expect(parsedDocumentSchema.parse(document)).toEqual(document);
  });

  it("puts boxes on the page as it is seen, from its top left corner", async () => {
    const document = await read({ content: text("Paid", { x: 50, y: 700, size: 20 }) });
    const [line] = documentText(document).lines;
    const [left, top, right, bottom] = line!.spans[0]!.box!;
    expect(left).toBeCloseTo(50, 1);
    expect(top).toBeCloseTo(792 - 700 - 0.78 * 20, 1);
    expect(bottom).toBeCloseTo(792 - 700 + 0.22 * 20, 1);
    expect(right - left).toBeGreaterThan(35);
    expect(right - left).toBeLessThan(50);
    expect(line!.spans[0]!.size).toBe(20);
  });

  it("joins letters that are placed one by one", async () => {
    const pitch = 6;
    const content = Array.from("Amount due 120", (letter, index) =>
      letter === " " ? "" : text(letter, { x: 50 + pitch * index, y: 700, font: "mono" }),
    ).join("");
    expect(shown(await read({ content }))).toEqual([["Amount due 120"]]);
  });

  it("joins words that are set with space between their letters", async () => {
    const near = text("INVOICE", { x: 50, y: 700, spacing: 3 });
    const far = text("TOTAL", { x: 50, y: 650, spacing: 9 });
    expect(shown(await read({ content: near + far }))).toEqual([["INVOICE"], ["TOTAL"]]);
  });

  it("reads text once that is printed over itself", async () => {
    const content = [0, 0.3, 0.6]
      .map((shift) => text("Total 12.50", { x: 50 + shift, y: 700 }))
      .join("");
    expect(shown(await read({ content }))).toEqual([["Total 12.50"]]);
  });

  it("keeps small raised print in its line", async () => {
    const content =
      text("Price per unit", { x: 50, y: 700 }) + text("2", { x: 112.5, y: 704, size: 6 });
    expect(shown(await read({ content }))).toHaveLength(1);
  });

  it("takes dots that lead the eye out, and a filled line to write on", async () => {
    const content =
      text("Rent ........................ 900.00", { x: 50, y: 700 }) +
      text("Name: ______________________", { x: 50, y: 670 }) +
      text("Ada Lovelace", { x: 90, y: 671 });
    expect(shown(await read({ content }))).toEqual([
      ["Rent", "900.00"],
      ["Name:", "Ada Lovelace"],
    ]);
  });

  it("joins a currency's symbol to the amount that a table sets apart from it", async () => {
    const content =
      text("Net income", { x: 50, y: 700 }) +
      text("$", { x: 300, y: 700 }) +
      text("1,204", { x: 330, y: 700 });
    expect(shown(await read({ content }))).toEqual([["Net income", "$ 1,204"]]);
  });
});

describe("reading order", () => {
  it("reads columns of prose one after the other, between what spans them", async () => {
    const content =
      text("General terms of sale of the company and its affiliates in all countries", {
        x: 50,
        y: 720,
        size: 14,
      }) +
      lines(LEFT, { x: 50, y: 690 }) +
      lines(RIGHT, { x: 310, y: 690 }) +
      text(
        "These terms hold from the first of March and replace all terms that were agreed before.",
        {
          x: 50,
          y: 600,
        },
      );
    const order = shown(await read({ content })).map(([first]) => first);
    expect(order.slice(1, -1)).toEqual([...LEFT, ...RIGHT]);
    expect(order.at(-1)).toContain("These terms hold");
  });

  it("keeps the pairs of a form on their lines", async () => {
    const labels = ["Name", "Street", "City", "Country", "Telephone", "Customer"];
    const values = ["Ada Lovelace", "12 St James's Square", "London", "England", "020 123", "7"];
    const content = lines(labels, { x: 50, y: 700 }) + lines(values, { x: 200, y: 700 });
    const expected = labels.map((label, index) => [label, values[index]]);
    expect(shown(await read({ content }))).toEqual(expected);
  });

  it("reads blocks beside each other apart where their lines are not level", async () => {
    const sender = ["Analytical Engines Ltd", "Dorset Street 1", "London", "Telephone 020 999"];
    const buyer = ["Ada Lovelace", "12 St James's Square", "London SW1", "England"];
    const content =
      lines(sender, { x: 50, y: 700, leading: 14 }) + lines(buyer, { x: 350, y: 693, leading: 14 });
    expect(shown(await read({ content })).flat()).toEqual([...sender, ...buyer]);
  });

  it("turns a page whose text runs up its side", async () => {
    const content =
      text("First line", { x: 100, y: 100, angle: 90 }) +
      text("Second line", { x: 120, y: 100, angle: 90 });
    const document = await read({ content });
    expect(shown(document)).toEqual([["First line"], ["Second line"]]);
    expect(document.pages[0]).toMatchObject({ width: 792, height: 612 });
    const box = documentText(document).lines[0]!.spans[0]!.box!;
    expect(box[0]).toBeCloseTo(100, 1);
  });

  it.each([90, 180, 270])(
    "follows a page that is displayed turned by %i degrees",
    async (rotate) => {
      const upright = { 90: [200, 500], 180: [500, 700], 270: [400, 100] }[rotate]!;
      const [x, y] = upright as [number, number];
      const content = text("Sideways", { x, y, angle: rotate });
      const document = await read({ content, rotate });
      expect(shown(document)).toEqual([["Sideways"]]);
      const { width, height } = document.pages[0]!;
      expect([width, height]).toEqual(rotate === 180 ? [612, 792] : [792, 612]);
      const [left, top, right, bottom] = documentText(document).lines[0]!.spans[0]!.box!;
      expect(right - left).toBeGreaterThan(bottom - top);
      expect(left >= 0 && top >= 0 && right <= width! && bottom <= height!).toBe(true);
    },
  );

  it("puts a watermark apart", async () => {
    const content =
      text("DRAFT", { x: 200, y: 300, size: 80, angle: 45 }) + lines(LEFT, { x: 50, y: 500 });
    const document = await read({ content });
    expect(shown(document).flat()).toEqual([...LEFT, "DRAFT"]);
  });
});

describe("blocks", () => {
  it("tells headings by their weight and size", async () => {
    const document = await read({
      content:
        text("Supply agreement", { x: 50, y: 740, size: 18 }) +
        text("1. Delivery", { x: 50, y: 700, font: "bold" }) +
        lines([...LEFT, ...RIGHT], { x: 50, y: 680 }),
    });
    expect(document.pages[0]!.blocks).toMatchObject([
      { kind: "heading", level: 1 },
      { kind: "heading", level: 2 },
      { kind: "paragraph" },
    ]);
  });

  it("parts paragraphs by the space between them", async () => {
    const content = lines(LEFT, { x: 50, y: 700 }) + lines(RIGHT, { x: 50, y: 620 });
    expect(kinds(await read({ content }))).toEqual(["paragraph", "paragraph"]);
  });

  it("keeps running heads and page numbers out of paragraphs", async () => {
    const page = (number: number, body: readonly string[]): TestPage => ({
      content:
        text("Supply agreement, confidential", { x: 50, y: 760 }) +
        lines(body, { x: 50, y: 747 }) +
        text(`Page ${number}`, { x: 280, y: 30 }),
    });
    const other = [...LEFT].reverse();
    const document = await read(page(1, LEFT), page(2, RIGHT), page(3, other));
    for (const { blocks } of document.pages) {
      expect(blocks.map((block) => (block.kind === "table" ? 0 : block.lines.length))).toEqual([
        1, 5, 1,
      ]);
    }
  });

  it("finds tables by their columns of figures, with their headers", async () => {
    const rows = [
      ["Espresso machine", "2", "399.00", "798.00"],
      ["Filter", "10", "1.20", "12.00"],
      ["Grinder", "1", "89.90", "89.90"],
    ];
    const columns = [50, 250, 350, 450];
    const at = (cells: readonly string[], y: number): string =>
      cells.map((cell, index) => text(cell, { x: columns[index]!, y })).join("");
    const content =
      at(["Item", "Quantity", "Unit price", "Amount"], 700) +
      rows.map((row, index) => at(row, 685 - 15 * index)).join("") +
      lines(LEFT, { x: 50, y: 600 });
    const document = await read({ content });
    expect(kinds(document)).toEqual(["table", "paragraph"]);
    const [table] = document.pages[0]!.blocks;
    if (table?.kind !== "table") throw new Error("the first block is no table");
    expect(table.headerRows).toBe(1);
    const cells = table.rows.map((row) =>
      row.map(({ lines: inCell }) => inCell.map(({ spans }) => spans[0]!.text).join()),
    );
    expect(cells).toEqual([["Item", "Quantity", "Unit price", "Amount"], ...rows]);
  });

  it("takes a form's pairs for no table", async () => {
    const content =
      lines(["Subtotal", "Tax 20%", "Total"], { x: 350, y: 500 }) +
      lines(["100.00", "20.00", "120.00"], { x: 450, y: 500 });
    expect(kinds(await read({ content }))).not.toContain("table");
  });
});

describe("form fields", () => {
  const field = (rest: string, rect: string): string =>
    `/Type /Annot /Subtype /Widget /Rect [${rect}] /F 4 /T (a${rect.slice(0, 3)}) ${rest}`;

  it("puts what is filled in beside its label", async () => {
    const document = await read({
      content:
        text("Name:", { x: 50, y: 700 }) +
        text("Married", { x: 80, y: 660 }) +
        text("Employed", { x: 280, y: 660 }),
      annotations: [
        field("/FT /Tx /V (Ada Lovelace) /DA (/F1 10 Tf)", "150 695 350 712"),
        field(
          "/FT /Btn /V /Yes /AS /Yes /AP << /N << /Yes << >> /Off << >> >> >>",
          "60 658 72 670",
        ),
        field(
          "/FT /Btn /V /Off /AS /Off /AP << /N << /Yes << >> /Off << >> >> >>",
          "260 658 272 670",
        ),
      ],
    });
    const [name, boxes] = shown(document);
    expect(name).toEqual(["Name:", "Ada Lovelace"]);
    expect(boxes!.join(" ")).toBe("☒ Married ☐ Employed");
  });
});

describe("files that cannot be read", () => {
  const page = { content: lines(LEFT, { x: 50, y: 700 }) };

  const faultOf = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof DocumentFault) return error.code;
      throw error;
    }
    return "none";
  };

  it("refuses what opens with a password, and opens what only its owner may change", async () => {
    const locked = writePdf([page], { user: "secret", owner: "owner" });
    expect(await faultOf(parsePdf(locked))).toBe("encrypted");
    const owned = await parsePdf(writePdf([page], { user: "", owner: "owner" }));
    expect(shown(owned).flat()).toEqual(LEFT);
  });

  it("refuses what is damaged beyond reading", async () => {
    const whole = writePdf([page]);
    expect(await faultOf(parsePdf(whole.subarray(0, 60)))).toBe("damaged");
    const junk = Uint8Array.from(whole, (byte, index) => (index < 9 ? byte : (index * 31) & 255));
    expect(await faultOf(parsePdf(junk))).toBe("damaged");
  });

  it("reads what has lost its list of objects", async () => {
    const whole = Buffer.from(writePdf([page]));
    whole.fill(" ", whole.indexOf("xref"), whole.indexOf("trailer"));
    const document = await parsePdf(whole);
    expect(shown(document).flat()).toEqual(LEFT);
  });

  it("reads what it can of what is changed anywhere, or says why not", async () => {
    const whole = writePdf([page, page]);
    const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 12 }), async (changes) => {
        const bytes = Uint8Array.from(whole);
        for (const [at, byte] of changes) bytes[at] = byte;
        const outcome = await parsePdf(bytes).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DocumentFault);
        else expect(parsedDocumentSchema.safeParse(outcome).success).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it("refuses more pages than are read", async () => {
    const three = writePdf([page, page, page]);
    expect(await faultOf(parsePdf(three, { ...PARSING_LIMITS, pages: 2 }))).toBe("too_many_pages");
  });

  it("reads so many pieces of text of a page, and refuses a file of more than its size explains", async () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
    const long = { content: lines(words, { x: 50, y: 750 }) };
    const short = { content: text("Paid", { x: 50, y: 700 }) };
    const within = (runs: ParsingLimits["runs"]): Promise<ParsedDocument> =>
      parsePdf(writePdf([long, long, short]), { ...PARSING_LIMITS, runs });
    const cut = await within({ page: 20, file: 1000, byte: 0 });
    expect(shown(cut).flat()).toEqual([...words.slice(0, 20), ...words.slice(0, 20), "Paid"]);
    expect(cut.warnings).toEqual([
      "Page 1 has more than 20 pieces of text: what follows was not read.",
      "Page 2 has more than 20 pieces of text: what follows was not read.",
    ]);
    await expect(within({ page: 1000, file: 60, byte: 0 })).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringMatching(/^The PDF has more than 60 pieces of text, the most for one/),
    });
    const whole = await within({ page: 1000, file: 60, byte: 1 });
    expect(shown(whole).flat()).toEqual([...words, ...words, "Paid"]);
    expect(whole.warnings).toEqual([]);
  });

  it("stops when it is told to", async () => {
    const reason = new Error("enough");
    const work = parsePdf(writePdf([page]), PARSING_LIMITS, AbortSignal.abort(reason));
    await expect(work).rejects.toBe(reason);
  });

  it("leaves the caller's bytes as they are, and reads them alike again", async () => {
    const bytes = writePdf([page]);
    const before = Uint8Array.from(bytes);
    const [first, second] = [await parsePdf(bytes), await parsePdf(bytes)];
    expect(second).toEqual(first);
    expect(Buffer.compare(bytes, before)).toBe(0);
  });
});
