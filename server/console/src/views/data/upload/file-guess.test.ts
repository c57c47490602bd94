import { describe, expect, it } from "vitest";
import { formatOf, nameOf, notATable } from "./file-guess.ts";

const FORMATS = [
  { format: "csv", mediaType: "text/csv", endings: ["csv", "tsv"] },
  { format: "ndjson", mediaType: "application/x-ndjson", endings: ["jsonl"] },
];
const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

describe("nameOf", () => {
  it("is the file's name without its endings", () => {
    expect(nameOf("Sales 2031.csv.gz")).toBe("Sales 2031");
    expect(nameOf("a.b.parquet")).toBe("a.b");
    expect(nameOf("rows")).toBe("rows");
    expect(nameOf(".csv")).toBe("dataset");
    expect(nameOf(`${"x".repeat(300)}.csv`)).toHaveLength(200);
  });
});

describe("formatOf", () => {
  it("believes the first bytes more than the name", () => {
    expect(formatOf("a.csv", bytes("PAR1\u0015"), FORMATS)).toBe("parquet");
    expect(formatOf("a.bin", bytes("ARROW1\0\0"), FORMATS)).toBe("arrow");
    expect(formatOf("a.arrows", bytes("\xff\xff\xff\xff\x10"), FORMATS)).toBe("arrow");
  });

  it("takes the name where the bytes say nothing", () => {
    expect(formatOf("a.TSV", bytes("x\ty\n"), FORMATS)).toBe("csv");
    expect(formatOf("a.jsonl.gz", bytes("\x1f\x8b\x08"), FORMATS)).toBe("ndjson");
    expect(formatOf("a.csv.zst", bytes("\x28\xb5\x2f\xfd"), FORMATS)).toBe("csv");
    expect(formatOf("a", bytes("\x28\xb5\x2f\xfd,"), FORMATS)).toBeNull();
  });

  it("looks at text without a known name", () => {
    expect(formatOf("rows", bytes('{"a":1}\n'), FORMATS)).toBe("ndjson");
    expect(formatOf("rows", bytes("a;b\n1;2\n"), FORMATS)).toBe("csv");
    expect(formatOf("rows", bytes("hello"), FORMATS)).toBe(null);
    expect(formatOf("rows", bytes("\0\x01,"), FORMATS)).toBe(null);
  });
});

describe("notATable", () => {
  it("knows what people drop by mistake", () => {
    expect(notATable(bytes("PK\u0003\u0004xl/"))).toMatch(/Excel/);
    expect(notATable(bytes("%PDF-1.7"))).toMatch(/Documents/);
    expect(notATable(bytes("a,b\n"))).toBe(null);
  });
});
