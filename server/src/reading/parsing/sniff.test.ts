import { describe, expect, it } from "vitest";
import { sniff } from "./sniff.ts";
import { packedZip } from "./testing/archives.ts";
import { wordDocument } from "./testing/docx.ts";

const bytesOf = (text: string): Buffer => Buffer.from(text);
const PNG = Buffer.from(
  "89504e470d0a1a0a0000000d4948445200000001000000010806000000" + "1f15c4890000000a49444154",
  "hex",
);

async function formatOf(bytes: Uint8Array, name = "", mediaType: string | null = null) {
  return sniff(bytes, { name, mediaType }).then(
    ({ format }) => format,
    (error: unknown) => (error as { code: string }).code,
  );
}

describe("sniff", () => {
  it("believes the bytes before the name", async () => {
    expect(await formatOf(bytesOf("%PDF-1.7\n"), "a.txt", "text/plain")).toBe("pdf");
    expect(await formatOf(bytesOf("\n\njunk %PDF-1.4"), "a.docx")).toBe("pdf");
    expect(await formatOf(PNG, "a.pdf", "application/pdf")).toBe("image");
    expect(await formatOf(wordDocument(""), "a.pdf")).toBe("docx");
    expect(await formatOf(bytesOf("<!DOCTYPE html><p>x"), "a.txt")).toBe("html");
    expect(await formatOf(bytesOf('<?xml version="1.0"?>\n<html xmlns="x"><body>'), "a.xml")).toBe(
      "html",
    );
    // Text that is called something else is text.
    expect(await formatOf(bytesOf("Invoice 12"), "a.pdf", "application/pdf")).toBe("text");
    expect(await formatOf(bytesOf("Invoice 12"), "a.docx")).toBe("text");
  });

  it("tells texts apart by their names, where those can be true", async () => {
    expect(await formatOf(bytesOf("# Title"), "a.md")).toBe("markdown");
    expect(await formatOf(bytesOf("# Title"), "a.txt")).toBe("text");
    expect(await formatOf(bytesOf("a,b"), "A.CSV")).toBe("csv");
    expect(await formatOf(bytesOf("a,b"), "a", "text/csv; charset=utf-8")).toBe("csv");
    expect(await formatOf(bytesOf("<p>Hello"), "a.html")).toBe("html");
    expect(await formatOf(bytesOf("1 < 2"), "a.html")).toBe("text");
    expect(await formatOf(bytesOf(' {"a": 1}'), "a.json")).toBe("json");
    expect(await formatOf(bytesOf("{ not json"), "a.json")).toBe("text");
  });

  it("takes a text without a name for what it looks like", async () => {
    expect(await formatOf(bytesOf('[{"a": 1}]'))).toBe("json");
    expect(await formatOf(bytesOf("[1] See the annex"))).toBe("text");
    expect(await formatOf(bytesOf("TOTAL  9.00"))).toBe("text");
    expect(await formatOf(Buffer.from("\ufeffTOTAL", "utf16le"))).toBe("text");
  });

  it("refuses what is empty, encrypted, binary or another program's", async () => {
    expect(await formatOf(new Uint8Array(0))).toBe("empty");
    expect(await formatOf(Buffer.alloc(5000), "a.txt")).toBe("unsupported");
    expect(
      await formatOf(Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256))),
    ).toBe("unsupported");
    const compound = Buffer.from("d0cf11e0a1b11ae1", "hex");
    expect(await formatOf(Buffer.concat([compound, Buffer.alloc(600)]), "a.doc")).toBe(
      "unsupported",
    );
    const encrypted = Buffer.concat([
      compound,
      Buffer.alloc(9000),
      Buffer.from("EncryptedPackage", "utf16le"),
    ]);
    expect(await formatOf(encrypted, "a.docx")).toBe("encrypted");
    expect(await formatOf(bytesOf("{\\rtf1\\ansi Hello}"), "a.rtf")).toBe("unsupported");
    expect(await formatOf(Buffer.from("1f8b0800000000000003", "hex"), "a.gz")).toBe("unsupported");
  });

  it("knows a TIFF whose directory stands at its end", async () => {
    // What most programs write: the pixels first.
    const end = 20_000;
    const little = Buffer.alloc(end + 200);
    little.write("II*\0", "latin1");
    little.writeUInt32LE(end, 4);
    const big = Buffer.alloc(end + 200);
    big.write("MM\0*", "latin1");
    big.writeUInt32BE(end, 4);
    for (const bytes of [little, big]) expect(await formatOf(bytes, "scan.tif")).toBe("image");
  });

  it("leaves what an archive holds to its reader", async () => {
    expect(await formatOf(packedZip([{ name: "a", content: bytesOf("x") }]), "a.zip")).toBe("docx");
  });

  it("goes by the beginning only", async () => {
    const text = Buffer.alloc(8000, "a ");
    const after = (rest: Buffer): Promise<unknown> =>
      formatOf(Buffer.concat([text, rest]), "a.txt");
    expect(await after(bytesOf("%PDF-1.7"))).toBe("text");
    expect(await after(Buffer.alloc(100_000))).toBe("text");
  });
});
