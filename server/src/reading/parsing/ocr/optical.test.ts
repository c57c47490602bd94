import { createCanvas, ImageData } from "@napi-rs/canvas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentText } from "../document-text.ts";
import { parseImage } from "../formats/image/parse-image.ts";
import { tiffOf } from "../formats/image/testing/tiff.ts";
import { readPart } from "../formats/pdf/optical.ts";
import { openPdf, parsePdf } from "../formats/pdf/parse-pdf.ts";
import { text, writePdf } from "../formats/pdf/testing/pdf-writer.ts";
import { PARSING_LIMITS } from "../limits.ts";
import type { ParsedDocument } from "../normal-form.ts";
import { type GreyImage, straightened, turned } from "./grey-image.ts";
import { stopRecognition } from "./tesseract.ts";
import { drawn } from "./testing/drawn.ts";

const CONTENT =
  text("Invoice number", { x: 30, y: 130, size: 12 }) +
  text("48213", { x: 200, y: 130, size: 12 }) +
  text("Total amount", { x: 30, y: 100, size: 12 }) +
  text("1,250.00", { x: 200, y: 100, size: 12 });
const EXPECTED = [
  ["Invoice number", "48213"],
  ["Total amount", "1,250.00"],
];

const shown = (document: ParsedDocument): string[][] =>
  documentText(document).lines.map(({ spans }) => spans.map((span) => span.text));

let scan: GreyImage;

beforeAll(async () => {
  scan = await drawn(writePdf([{ width: 300, height: 160, content: CONTENT }]), 3);
});

afterAll(stopRecognition);

function png({ width, height, pixels }: GreyImage): Buffer {
  const canvas = createCanvas(width, height);
  const rgba = Uint8ClampedArray.from({ length: 4 * pixels.length }, (_, index) =>
    index % 4 === 3 ? 255 : pixels[index >> 2]!,
  );
  canvas.getContext("2d").putImageData(new ImageData(rgba, width, height), 0, 0);
  return canvas.toBuffer("image/png");
}

describe("optical reading", () => {
  it("reads an image that has more pixels along a side than recognition counts", async () => {
    const { width, height, pixels } = scan;
    const long: GreyImage = {
      width: 33_000,
      height,
      pixels: new Uint8Array(33_000 * height).fill(255),
    };
    for (let y = 0; y < height; y++) {
      long.pixels.set(pixels.subarray(y * width, (y + 1) * width), y * long.width);
    }
    expect(shown(await parseImage(png(long)))).toEqual(EXPECTED);
    const line: GreyImage = { width: 1_000_000, height: 10, pixels: new Uint8Array(10_000_000) };
    expect(shown(await parseImage(png(line)))).toEqual([]);
  });

  it("reads the scanned page of a PDF, and says so", async () => {
    const bytes = writePdf([
      { width: 300, height: 160, content: "", scan },
      { width: 300, height: 160, content: CONTENT },
    ]);
    const document = await parsePdf(bytes);
    expect(shown(document)).toEqual([...EXPECTED, ...EXPECTED]);
    expect(document.warnings).toEqual([
      "Page 1 was read optically (OCR, English); letters may be mistaken.",
    ]);
    const [optical, , exact] = documentText(document).lines;
    for (const [index, span] of optical!.spans.entries()) {
      const other = exact!.spans[index]!;
      expect(Math.abs(span.box![0] - other.box![0])).toBeLessThan(2);
      expect(Math.abs(span.box![3] - other.box![3])).toBeLessThan(3);
    }
    const [block] = document.pages[0]!.blocks;
    if (block === undefined || block.kind === "table") throw new Error("no lines were read");
    expect(block.lines[0]!.spans[0]!.confidence).toBeGreaterThan(0.7);
  });

  it("reads a page by its looks whose text is in codes of its own", async () => {
    const coded = text("Delivered to the buyer in May", { x: 30, y: 100, size: 12, font: "coded" });
    const document = await parsePdf(writePdf([{ width: 300, height: 160, content: coded }]));
    expect(shown(document)).toEqual([["Delivered to the buyer in May"]]);
    expect(document.warnings).toHaveLength(1);
  });

  it("reads images, whatever the size of their letters", async () => {
    const small = await drawn(writePdf([{ width: 300, height: 160, content: CONTENT }]), 1.2);
    for (const image of [scan, small]) {
      const document = await parseImage(png(image));
      expect(shown(document)).toEqual(EXPECTED);
      expect(document.pages[0]!.width).toBeCloseTo(0.48 * image.width, 0);
      expect(document.warnings).toHaveLength(1);
    }
  });

  it.each([2, 3, 8, -12])("reads lines of a page that lies askew by %i degrees", async (skew) => {
    const labels = ["Invoice number", "Customer number", "Date of delivery", "Total amount"];
    const values = ["48213", "77120", "12 May 2021", "1,250.00"];
    const content = labels
      .map((label, index) => {
        const y = 300 - 16 * index;
        return text(label, { x: 30, y, size: 11 }) + text(values[index]!, { x: 420, y, size: 11 });
      })
      .join("");
    const [sin, cos] = [Math.sin, Math.cos].map((of) => of((skew * Math.PI) / 180));
    // About the middle of the page.
    const about = [260 - 260 * cos! + 200 * sin!, 200 - 260 * sin! - 200 * cos!];
    const turned = `q ${[cos, sin, -sin!, cos, ...about].map((n) => n!.toFixed(5)).join(" ")} cm ${content} Q`;
    const skewed = await drawn(writePdf([{ width: 520, height: 400, content: turned }]), 2.5);
    const document = await parseImage(png(skewed));
    expect(shown(document)).toEqual(labels.map((label, index) => [label, values[index]]));
    if (Math.abs(skew) < 3) return;
    // Its places are those of the page laid straight.
    const [first] = documentText(document).lines[0]!.spans;
    const scale = 0.48 * 2.5;
    expect(Math.abs(first!.box![0] - 30 * scale)).toBeLessThan(4);
    expect(Math.abs(first!.box![3] - 100 * scale)).toBeLessThan(6);
  });

  it("turns a page that lies on its side and askew", async () => {
    const lying = straightened(turned(scan, 90), 7);
    const document = await parseImage(png(lying));
    expect(shown(document)).toEqual(EXPECTED);
  });

  it("reads pages that lie on their side or upside down, and turns them", async () => {
    for (const turn of [90, 180, 270] as const) {
      const lying = turned(scan, turn);
      const document = await parseImage(png(lying));
      expect([turn, shown(document)]).toEqual([turn, EXPECTED]);
      expect(document.pages[0]!.width).toBeCloseTo(0.48 * scan.width, 0);
      expect(document.warnings).toHaveLength(1);
    }
    const pdf = await parsePdf(
      writePdf([{ width: 160, height: 300, content: "", scan: turned(scan, 90) }]),
    );
    expect(shown(pdf)).toEqual(EXPECTED);
    expect(pdf.pages[0]).toMatchObject({ width: 300, height: 160 });
  });

  it("reads each page of a TIFF", async () => {
    const document = await parseImage(tiffOf([scan, scan]));
    expect(document.pages.map(({ number }) => number)).toEqual([1, 2]);
    expect(shown(document)).toEqual([...EXPECTED, ...EXPECTED]);
  });

  it("straightens and turns the pages of a TIFF, each as it lies", async () => {
    const lying = [turned(scan, 90), straightened(scan, 8), turned(scan, 180)];
    const document = await parseImage(tiffOf([...lying, scan]));
    expect(document.pages.map((page) => shown({ ...document, pages: [page] }))).toEqual(
      Array.from({ length: 4 }, () => EXPECTED),
    );
    // Pages of different sizes are each as large as they are.
    expect(document.pages[0]!.width).toBeCloseTo(0.48 * scan.width, 0);
    expect(document.pages[1]!.width).toBeCloseTo(0.48 * lying[1]!.width, 0);
  });

  it("says of a TIFF that cannot be decoded that it is damaged", async () => {
    const bytes = tiffOf([scan]);
    // A compression that nobody knows.
    bytes.writeUInt32LE(9999, 8 + 2 + 12 * 3 + 8);
    await expect(parseImage(bytes)).rejects.toMatchObject({ code: "damaged" });
    expect(shown(await parseImage(tiffOf([scan])))).toEqual(EXPECTED);
  });

  it("stops when it is told to, and reads again after", async () => {
    const pdf = await openPdf(
      writePdf([{ width: 300, height: 160, content: CONTENT }]),
      PARSING_LIMITS,
    );
    const page = await pdf.getPage(1);
    const reason = new Error("enough");
    const stopping = new AbortController();
    const work = readPart(pdf, page, [0, 0, 300, 160], [], { signal: stopping.signal });
    stopping.abort(reason);
    await expect(work).rejects.toBe(reason);
    const { runs } = await readPart(pdf, page, [0, 0, 300, 160], [], {});
    expect(runs.map((run) => run.text.trim())).toContain("48213");
    await pdf.loadingTask.destroy();
  });
});
