import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentFault } from "./document-fault.ts";
import { text, writePdf } from "./formats/pdf/testing/pdf-writer.ts";
import { parsedDocumentSchema } from "./normal-form.ts";
import { parseBytes, parseText } from "./parse.ts";
import { packedZip } from "./testing/archives.ts";
import { wordParagraph, wordParts, wordTable } from "./testing/docx.ts";
import { outline } from "./testing/outline.ts";

const WORD = packedZip(
  [...wordParts(wordParagraph("Total:\t9.00") + wordTable([["Item"], ["Pen"]]))].map(
    ([name, content]) => ({ name, content }),
  ),
);

const SEEDS: Readonly<Record<string, Buffer>> = {
  "a.txt": Buffer.from("INVOICE\nTotal:  9.00\n\n1. Terms\n(a) Net.\n"),
  "a.html": Buffer.from(
    "<!DOCTYPE html><table><tr><th colspan=2>A<td rowspan=2>1</table><ul><li>x<dl><dt>a<dd>b</dl>&amp;&nbsp;",
  ),
  "a.md": Buffer.from(
    "# Title\n\n- a\n  - b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\n**x** [l](u)",
  ),
  "a.csv": Buffer.from('a,b\n1,"x, y"\n"multi\nline",2\n'),
  "a.json": Buffer.from('{"a": {"b": [1, 2.50, "x"]}, "c": [{"d": 1}, {"e": null}]}'),
  "a.docx": WORD,
};

/** The outline, or the fault's code. Anything else that is thrown is a failure. */
async function readOf(bytes: Uint8Array, name: string): Promise<string[] | string> {
  try {
    const document = await parseBytes(bytes, { name, mediaType: null });
    parsedDocumentSchema.parse(document);
    return outline(document);
  } catch (error) {
    if (error instanceof DocumentFault) return error.code;
    throw error;
  }
}

describe("parseBytes", () => {
  it("reads each format by its bytes, whatever the file is called", async () => {
    const expected = Object.fromEntries(
      await Promise.all(
        Object.entries(SEEDS).map(
          async ([name, bytes]) => [name, await readOf(bytes, name)] as const,
        ),
      ),
    );
    expect(expected["a.docx"]).toEqual(["p: Total: ¦ 9.00", "p: Item", "p: Pen"]);
    expect(await readOf(WORD, "a.pdf")).toEqual(expected["a.docx"]);
    expect(await readOf(SEEDS["a.html"]!, "a.csv")).toEqual(expected["a.html"]);
    expect(await readOf(SEEDS["a.json"]!, "a")).toEqual(expected["a.json"]);
    expect(await readOf(SEEDS["a.txt"]!, "a.docx")).toEqual(expected["a.txt"]);
  });

  it("reads as text, and says so, what is not what its name says", async () => {
    const parse = (text: string, name: string) =>
      parseBytes(Buffer.from(text), { name, mediaType: null });
    expect((await parse('{"a": ', "a.json")).warnings).toEqual([
      "It is not valid JSON; it was read as text.",
    ]);
    expect((await parse("one\ntwo", "a.csv")).warnings).toEqual([
      "It is not a table; it was read as text.",
    ]);
  });

  it("refuses a document without text", async () => {
    for (const [text, name] of [
      [" \n\t\f", "a.txt"],
      ["\ufeff", "a.txt"],
      ["<html><body><script>x</script>", "a.html"],
      ["{}", "a.json"],
      ["[[null]]", "a.json"],
      ["---\n", "a.md"],
    ] as const) {
      expect([name, text, await readOf(Buffer.from(text), name)]).toEqual([name, text, "empty"]);
    }
  });

  it("says of a Word document without text that it has pictures", async () => {
    const parts = [...wordParts(""), ["word/media/a.png", Buffer.from("x")] as const];
    const bytes = packedZip(parts.map(([name, content]) => ({ name, content })));
    await expect(parseBytes(bytes, { name: "a.docx", mediaType: null })).rejects.toMatchObject({
      code: "empty",
      message: "The document contains no text. Pictures in the document were not read.",
    });
  });

  it("makes a document or a fault of any bytes that were one once", async () => {
    const name = fc.constantFrom(...Object.keys(SEEDS));
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.uint8Array({ maxLength: 4 }),
      removed: fc.nat(6),
    });
    await fc.assert(
      fc.asyncProperty(
        name,
        fc.array(change, { minLength: 1, maxLength: 5 }),
        fc.boolean(),
        async (file, changes, isCut) => {
          let bytes: Buffer = SEEDS[file]!;
          for (const { at, bytes: added, removed } of changes) {
            const place = Math.floor(at * bytes.length);
            const end = isCut ? bytes.length : place + removed;
            bytes = Buffer.concat([bytes.subarray(0, place), added, bytes.subarray(end)]);
          }
          const read = await readOf(bytes, file);
          expect(typeof read === "string" || read.length > 0).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("parseText", () => {
  it("reads a text that was sent as one, by its name or by itself", () => {
    expect(outline(parseText("note", "Total:  9.00"))).toEqual(["p: Total: ¦ 9.00"]);
    expect(outline(parseText("a.md", "# Title"))).toEqual(["h1: Title"]);
    expect(outline(parseText("a.csv", "a,b\n1,2"))).toEqual(["th: a | b", "td: 1 | 2"]);
    expect(() => parseText("a", "  ")).toThrow(DocumentFault);
  });

  it("bounds the text", () => {
    expect(() => parseText("a", "a".repeat((16 << 20) + 1))).toThrow(/at most 16 MB/u);
  });
});

it("keeps a PDF in which nothing is written, and says that nothing was found", async () => {
  const read = (content: string) =>
    parseBytes(writePdf([{ content }]), { name: "a.pdf", mediaType: null });
  expect((await read("")).warnings[0]).toMatch(/^No text was found in it/);
  expect((await read(text("Total: 9.00", { x: 50, y: 700 }))).warnings).toEqual([]);
});
