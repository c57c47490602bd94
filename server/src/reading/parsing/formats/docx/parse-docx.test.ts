import { describe, expect, it } from "vitest";
import { DocumentFault } from "../../document-fault.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import { packedZip } from "../../testing/archives.ts";
import { wordDocument, wordParagraph, wordParts, wordTable } from "../../testing/docx.ts";
import { outline } from "../../testing/outline.ts";
import { parseDocx } from "./parse-docx.ts";

const MIB = 1 << 20;

async function codeOf(bytes: Uint8Array, limits = PARSING_LIMITS): Promise<string> {
  try {
    return outline(await parseDocx(bytes, limits)).join("\n");
  } catch (error) {
    if (error instanceof DocumentFault) return error.code;
    throw error;
  }
}

/** The members of a Word document, and others. */
const packed = (body: string, ...others: Parameters<typeof packedZip>[0][number][]): Buffer =>
  packedZip([...[...wordParts(body)].map(([name, content]) => ({ name, content })), ...others]);

describe("a Word document", () => {
  it("is read with its styles, tabs, tables and headers", async () => {
    const body = [
      wordParagraph("Agreement", "Title"),
      wordParagraph("Scope", "Heading2"),
      wordParagraph("Name:\tAnn  Smith"),
      wordParagraph("**Governing law"),
      wordParagraph("1 < 2 & so on."),
      wordTable([
        ["Item", "Qty", "Price"],
        ["Pen", "2", "1.00"],
      ]),
      wordParagraph("End."),
    ].join("");
    const document = await parseDocx(wordDocument(body, wordParagraph("ACME Ltd")), PARSING_LIMITS);
    expect(outline(document)).toEqual([
      "p: ACME Ltd",
      "h1: Agreement",
      "h2: Scope",
      "p: Name: ¦ Ann ¦ Smith",
      "h4: Governing law",
      "p: 1 < 2 & so on.",
      "th: Item | Qty | Price",
      "td: Pen | 2 | 1.00",
      "p: End.",
    ]);
    expect(document.title).toBe("Agreement");
  });

  it("says that its pictures were not read; macros and embedded files stay packed", async () => {
    const bytes = packed(
      wordParagraph("text"),
      { name: "word/media/image1.png", content: Buffer.from("x") },
      { name: "word/vbaProject.bin", content: Buffer.from("x"), isEncrypted: true },
    );
    expect(await parseDocx(bytes, PARSING_LIMITS)).toMatchObject({
      warnings: ["Pictures in the document were not read."],
    });
  });
});

describe("an archive", () => {
  it("that unpacks to too much is not opened, whatever it states", async () => {
    const zeros = Buffer.alloc(6 * MIB);
    expect(await codeOf(packed("", { name: "word/a.xml", content: zeros }))).toBe("archive_bomb");
    // It states less than it holds.
    const lie = { name: "word/a.xml", content: zeros, statedBytes: 1000 };
    expect(await codeOf(packed("", lie))).toBe("damaged");
    const limits = { ...PARSING_LIMITS, archiveBytes: 40_000 };
    const noise = Buffer.from(Array.from({ length: 50_000 }, (_, index) => (index * 7919) % 251));
    expect(await codeOf(packed("", { name: "a.bin", content: noise }), limits)).toBe(
      "archive_bomb",
    );
    const many = Array.from({ length: 50 }, (_, index) => ({
      name: `${index}`,
      content: zeros.subarray(0, 1),
    }));
    expect(await codeOf(packed("", ...many), { ...PARSING_LIMITS, archiveMembers: 50 })).toBe(
      "archive_bomb",
    );
  });

  it("in an archive stays closed", async () => {
    const inner = packedZip([{ name: "zeros", content: Buffer.alloc(4 * MIB) }]);
    const bytes = packed(wordParagraph("text"), { name: "word/inner.zip", content: inner });
    expect(await codeOf(bytes)).toBe("p: text");
  });

  it("whose parts are encrypted, cut off or no XML is refused", async () => {
    const parts = [...wordParts(wordParagraph("text"))];
    const encrypted = packedZip(
      parts.map(([name, content]) => ({ name, content, isEncrypted: true })),
    );
    expect(await codeOf(encrypted)).toBe("encrypted");
    const whole = packed(wordParagraph("text"));
    expect(await codeOf(whole.subarray(0, whole.length - 30))).toBe("damaged");
    expect(await codeOf(wordDocument("<w:p><w:r>"))).toBe("damaged");
  });

  it("that declares entities, or is nested without end, is refused", async () => {
    const parts = wordParts(wordParagraph("&a;"));
    const laughs = Buffer.from(
      `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>${parts.get("word/document.xml")}`,
    );
    const bytes = packedZip(
      [...parts].map(([name, content]) => ({
        name,
        content: name === "word/document.xml" ? laughs : content,
      })),
    );
    expect(await codeOf(bytes)).toBe("damaged");
    const deep = "<w:sdt><w:sdtContent>".repeat(8000);
    expect(await codeOf(wordDocument(deep + "</w:sdtContent></w:sdt>".repeat(8000)))).toBe(
      "too_deep",
    );
  });

  it("of another program is told what it is", async () => {
    const other = (name: string): Promise<unknown> =>
      parseDocx(packedZip([{ name, content: Buffer.from("x") }]), PARSING_LIMITS).catch(
        (error: unknown) => error,
      );
    expect(await other("xl/workbook.xml")).toMatchObject({
      code: "unsupported",
      message: "The file is an Excel workbook. Save it as CSV, or as PDF.",
    });
    expect(await other("a.txt")).toMatchObject({ code: "unsupported" });
  });
});
