import { describe, expect, it } from "vitest";
import { greyOf, portableGreyMap, resized } from "./grey-image.ts";

describe("grey images", () => {
  it("weighs colours as the eye does, and takes what is transparent for paper", () => {
    const rgba = Uint8ClampedArray.from([
      ...[255, 0, 0, 255],
      ...[0, 255, 0, 255],
      ...[0, 0, 0, 0],
      ...[0, 0, 0, 255],
    ]);
    expect([...greyOf(rgba, 4, 1).pixels]).toEqual([76, 150, 255, 0]);
  });

  it("keeps a flat image flat and an edge where it is", () => {
    const flat = resized({ width: 3, height: 2, pixels: new Uint8Array(6).fill(90) }, 2.5);
    expect([flat.width, flat.height]).toEqual([8, 5]);
    expect(new Set(flat.pixels)).toEqual(new Set([90]));
    const edge = resized({ width: 4, height: 1, pixels: Uint8Array.of(0, 0, 255, 255) }, 2);
    const doubled = [0, 0, 0, 64, 191, 255, 255, 255];
    expect([...edge.pixels]).toEqual([...doubled, ...doubled]);
  });

  it("is written as a Netpbm map", () => {
    const map = portableGreyMap({ width: 2, height: 1, pixels: Uint8Array.of(7, 255) });
    expect([...map]).toEqual([...Buffer.from("P5\n2 1\n255\n"), 7, 255]);
  });
});
