import { describe, expect, it } from "vitest";
import { type GreyImage, straightened } from "./grey-image.ts";
import { skewOfImage } from "./skew.ts";

/** Lines of words as bars of some length, from one margin. */
function page(): GreyImage {
  const [width, height] = [600, 800];
  const pixels = new Uint8Array(width * height).fill(255);
  for (let line = 0; line < 20; line++) {
    for (let word = 0; word < 5 + (line % 4); word++) {
      for (let y = 60 + 30 * line; y < 72 + 30 * line; y++) {
        const from = 60 + 55 * word;
        pixels.fill(20, y * width + from, y * width + from + 30 + ((7 * line + 5 * word) % 18));
      }
    }
  }
  return { width, height, pixels };
}

describe("the skew of a page", () => {
  it.each([3, -5.5, 8, -12, 14])("of %d degrees is found", (degrees) => {
    expect(Math.abs(skewOfImage(straightened(page(), degrees)) + degrees)).toBeLessThan(0.4);
  });

  it("is none where it lies straight, is blank, or holds no lines", () => {
    expect(skewOfImage(page())).toBe(0);
    expect(skewOfImage({ width: 300, height: 300, pixels: new Uint8Array(90_000).fill(255) })).toBe(
      0,
    );
    // A round stamp looks alike from everywhere.
    const disc = Uint8Array.from({ length: 90_000 }, (_, at) =>
      Math.hypot((at % 300) - 150, Math.floor(at / 300) - 150) < 90 ? 0 : 255,
    );
    expect(skewOfImage({ width: 300, height: 300, pixels: disc })).toBe(0);
  });
});
