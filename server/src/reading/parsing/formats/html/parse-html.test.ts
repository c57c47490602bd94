import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentText } from "../../document-text.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import { type ParsedDocument, parsedDocumentSchema } from "../../normal-form.ts";
import { inkOf, outline } from "../../testing/outline.ts";
import { parseMarkup } from "./parse-html.ts";

const parse = (html: string) => parseMarkup(html, PARSING_LIMITS);
const outlineOf = (html: string): string[] => outline(parse(html));

describe("HTML", () => {
  it("is what a reader sees: no scripts, no styles, nothing hidden", () => {
    const html = `<head><title>My &amp; page</title><style>p{}</style></head><body>
      <script>document.write("<p>no</p>")</script><noscript>no</noscript><template><p>no</p></template>
      <p hidden>no</p><p style="color: red; DISPLAY : none">no</p><span style="font-size:0">no</span>
      <p style="visibility:hidden">no</p><input type="hidden" value="no"><!-- no --><p>yes</p></body>`;
    expect(outlineOf(html)).toEqual(["p: yes"]);
    expect(parse(html).title).toBe("My & page");
  });

  it("runs inline elements together, and parts blocks, lines and wide gaps", () => {
    expect(
      outlineOf(`<h2>The  <i>Title</i></h2><p>in<b>line</b>\n text<br>second&nbsp;&nbsp;&nbsp;apart</p>
        <div>a<div>b</div>c</div><ul><li>one<ul><li>inner</ul><li>two</ul><pre>A    1\nB    2</pre>`),
    ).toEqual([
      "h2: The Title",
      "p: inline text / second ¦ apart",
      "p: a",
      "p: b",
      "p: c",
      "li: one",
      "li: inner",
      "li: two",
      "p: A ¦ 1 / B ¦ 2",
    ]);
  });

  it("parts a label in bold letters from the value behind it, and no word that a sentence stresses", () => {
    const html = `<p><b>Gate</b> B12<br><strong>Ticket no.</strong> 0458 1<br><b>Class:</b> Economy</p>
      <p><b>Note</b> that this is a sentence which goes on<br><b>Scope.</b> Deliveries<br><b>A</b> and <b>B</b></p>
      <p><b>Please</b> pay<br><b>Vol</b>ume 3<br>Seat <b>27E</b></p>`;
    expect(outlineOf(html)).toEqual([
      "p: Gate ¦ B12 / Ticket no. ¦ 0458 1 / Class: Economy",
      "p: Note that this is a sentence which goes on / Scope. Deliveries / A and B",
      "p: Please pay / Volume 3 / Seat 27E",
    ]);
  });

  it("puts labels and values on a line", () => {
    expect(
      outlineOf(`<dl><dt>Buyer<dd>Jane<dt>Terms<dd><p>one</p><p>two</p></dl>
        <p><b>Date:</b>2020</p><div style="display:flex"><div>Total</div><div>9.00</div></div>
        <div><div class="label">VAT:</div><div>1.00</div></div>
        <form><label>Name</label><input value="Ann"><label>Agreed <input type=checkbox checked></label>
        <select><option>x<option selected>y</select></form>`),
    ).toEqual([
      "p: Buyer ¦ Jane",
      "p: Terms",
      "p: one",
      "p: two",
      "p: Date: 2020",
      "p: Total ¦ 9.00",
      "p: VAT: ¦ 1.00",
      "p: Name ¦ Ann ¦ Agreed ¦ ☒ ¦ y",
    ]);
  });

  it("finds headings that are bold, in capitals or numbered paragraphs", () => {
    expect(
      outlineOf(`<p><b>Governing law</b></p><p>Text of it.</p><p>TERM</p><p>Text of it.</p>
        <p>2.1 Fees and Costs</p><p>Text. <b>bold</b></p><p><b>Total: 9.00</b></p><p>end</p>`),
    ).toEqual([
      "h4: Governing law",
      "p: Text of it.",
      "h2: TERM",
      "p: Text of it.",
      "h3: 2.1 Fees and Costs",
      "p: Text. bold",
      "p: Total: 9.00",
      "p: end",
    ]);
  });
});

describe("tables of HTML", () => {
  it("have header rows, and cells that stand under each other", () => {
    expect(
      outlineOf(`<table><caption>Prices</caption><thead><tr><th rowspan=2>Item<th colspan=2>Price
        <tr><th>net<th>gross</thead><tr><td rowspan=2>Pen<td>1.00<td>1.20<tr><td>2.00<td>2.40</table>`),
    ).toEqual([
      "p: Prices",
      "th: Item<1x2> | Price<2x1>",
      "th:  | net | gross",
      "td: Pen<1x2> | 1.00 | 1.20",
      "td:  | 2.00 | 2.40",
    ]);
    const lines = documentText(
      parse("<table><tr><th>a<th>b<tr><td rowspan=2>1<td>2<tr><td>3</table>"),
    );
    expect(lines.lines.at(-1)!.spans[0]).toMatchObject({
      text: "3",
      cell: { table: 0, row: 2, column: 1, columns: 1, isHeader: false },
    });
  });

  it("have a header row without its mark where bold letters or numbers below tell", () => {
    const row = (...cells: string[]): string =>
      `<tr>${cells.map((cell) => `<td>${cell}`).join("")}`;
    expect(outlineOf(`<table>${row("<b>Item", "<b>Price")}${row("Pen", "1.00")}</table>`)).toEqual([
      "th: Item | Price",
      "td: Pen | 1.00",
    ]);
    expect(
      outlineOf(`<table>${row("Item", "Qty", "Price")}${row("Pen", "2", "1.00")}</table>`)[0],
    ).toBe("th: Item | Qty | Price");
    expect(outlineOf(`<table>${row("Name", "Ann")}${row("Total", "9.00")}</table>`)[0]).toBe(
      "td: Name | Ann",
    );
  });

  it("that lay a page out are read cell by cell", () => {
    expect(
      outlineOf(`<table><tr><td><p>left</p><p>more</p><td><table><tr><td>a<td>1<tr><td>b<td>2</table>
        <tr><td>label<td>value</table>`),
    ).toEqual(["p: left", "p: more", "td: a | 1", "td: b | 2", "p: label ¦ value"]);
  });
});

/** Cell by cell: as a text, a row's cells are read line by line. */
function writtenOf({ pages }: ParsedDocument): string {
  const lines = pages
    .flatMap(({ blocks }) => blocks)
    .flatMap((block) =>
      block.kind === "table" ? block.rows.flat().flatMap((cell) => cell.lines) : block.lines,
    );
  return lines.flatMap(({ spans }) => spans.map(({ text }) => text)).join(" ");
}

describe("any HTML", () => {
  const word = fc.stringMatching(/^[a-zA-Z0-9$€.,:éß]{1,8}$/u);
  const { node } = fc.letrec<{ node: string }>((tie) => {
    const inner = fc.array(tie("node"), { maxLength: 4 }).map((nodes) => nodes.join(" "));
    const element = (...names: string[]) =>
      fc
        .tuple(fc.constantFrom(...names), inner)
        .map(([name, html]) => `<${name}>${html}</${name}>`);
    const row = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 3 }), inner), { minLength: 1, maxLength: 3 })
      .map(
        (cells) =>
          `<tr>${cells.map(([n, html]) => `<td colspan=${n} rowspan=${n}>${html}</td>`).join("")}</tr>`,
      );
    return {
      node: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        word,
        word.map((text) => `${text}<br>`),
        element("b", "span", "i", "a"),
        element("div", "section", "h3", "blockquote"),
        element("ul", "ol").map((html) => html.replaceAll(/<(\/?)(?:b|div)>/gu, "<$1li>")),
        fc
          .array(row, { minLength: 1, maxLength: 3 })
          .map((rows) => `<table>${rows.join("")}</table>`),
      ),
    };
  });

  it("keeps every visible character in order", () => {
    fc.assert(
      fc.property(fc.array(node, { maxLength: 6 }), (nodes) => {
        const html = nodes.join("");
        const document = parse(`<body>${html}</body>`);
        parsedDocumentSchema.parse(document);
        expect(inkOf(writtenOf(document))).toBe(inkOf(html.replace(/<[^>]*>/gu, " ")));
      }),
    );
  });

  it("is refused where it is deep or where elements multiply", () => {
    const fault = (html: string): unknown => {
      try {
        return outline(parseMarkup(html, { ...PARSING_LIMITS, depth: 100, nodes: 2000 }));
      } catch (error) {
        return error;
      }
    };
    expect(fault("<div>".repeat(200))).toMatchObject({ code: "too_deep" });
    // Each paragraph opens all of the unclosed formatting elements anew.
    const fonts = Array.from({ length: 50 }, (_, index) => `<font a=${index}>`).join("");
    expect(fault(`<div>${fonts}</div>${"<p>x</p>".repeat(100)}`)).toMatchObject({
      code: "too_large",
    });
    const spans = "<tr><td rowspan=65534 colspan=1000>a".repeat(500);
    expect(fault(`<table>${spans}</table>`)).toHaveLength(500);
  });
});
