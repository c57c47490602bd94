import { createCanvas } from "@napi-rs/canvas";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DocumentFault } from "../../document-fault.ts";
import { PARSING_LIMITS } from "../../limits.ts";
import { imageHeader } from "./image-header.ts";
import { parseImage, readHeader } from "./parse-image.ts";
import { tiffOf } from "./testing/tiff.ts";

const canvas = createCanvas(37, 21);
const encoded = {
  "image/png": canvas.toBuffer("image/png"),
  "image/jpeg": canvas.toBuffer("image/jpeg"),
  "image/webp": canvas.toBuffer("image/webp"),
  "image/gif": canvas.toBuffer("image/gif"),
};

describe("an image's head", () => {
  it.each(Object.entries(encoded))("of %s says its size", (mediaType, bytes) => {
    expect(imageHeader(bytes)).toEqual({ mediaType, width: 37, height: 21, pages: [0] });
  });

  it("of a bitmap says its size, whichever way up it is", () => {
    const bytes = Buffer.alloc(54);
    bytes.write("BM");
    bytes.writeInt32LE(37, 18);
    bytes.writeInt32LE(-21, 22);
    expect(imageHeader(bytes)).toMatchObject({ mediaType: "image/bmp", width: 37, height: 21 });
  });

  it("of a TIFF says how many pages it has and the size of the largest", () => {
    const page = (width: number, height: number) => ({
      width,
      height,
      pixels: new Uint8Array(width * height),
    });
    const header = imageHeader(tiffOf([page(20, 10), page(37, 21)]));
    expect(header).toMatchObject({ mediaType: "image/tiff", width: 37, height: 21 });
    expect(header!.pages).toHaveLength(2);
  });

  it("ends for any bytes", () => {
    const heads = [
      ...Object.values(encoded),
      tiffOf([{ width: 2, height: 1, pixels: Uint8Array.of(0, 1) }]),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...heads),
        fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 6 }),
        fc.nat(120),
        (head, changes, length) => {
          const bytes = Uint8Array.from(head).subarray(0, length);
          for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
          const header = imageHeader(bytes);
          expect(header === null || header.pages.length > 0).toBe(true);
        },
      ),
    );
  });
});

describe("images that are not read", () => {
  const faultOf = (work: () => unknown): string => {
    try {
      work();
    } catch (error) {
      if (error instanceof DocumentFault) return error.code;
      throw error;
    }
    return "none";
  };

  it("are refused for their size before they are decoded", () => {
    const bytes = Uint8Array.from(encoded["image/png"]);
    new DataView(bytes.buffer).setUint32(16, 60_000);
    new DataView(bytes.buffer).setUint32(20, 60_000);
    expect(faultOf(() => readHeader(bytes, PARSING_LIMITS))).toBe("too_large");
  });

  it("are refused where their head is cut or says nothing", () => {
    expect(faultOf(() => readHeader(encoded["image/png"].subarray(0, 12), PARSING_LIMITS))).toBe(
      "damaged",
    );
    expect(faultOf(() => readHeader(Buffer.from("no image"), PARSING_LIMITS))).toBe("damaged");
  });

  it("are refused where they cannot be decoded", async () => {
    const broken = encoded["image/png"].subarray(0, 40);
    await expect(parseImage(broken)).rejects.toMatchObject({ code: "damaged" });
  });
});
