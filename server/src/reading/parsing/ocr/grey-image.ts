/** Images of one channel: all that letters are recognised by. */

export interface GreyImage {
  readonly width: number;
  readonly height: number;
  /** Row by row, 0 black to 255 white. */
  readonly pixels: Uint8Array;
}

/** @param rgba row by row, four bytes a pixel; what is transparent is paper */
export function greyOf(rgba: Uint8ClampedArray, width: number, height: number): GreyImage {
  const pixels = new Uint8Array(width * height);
  for (let index = 0, at = 0; index < pixels.length; index++, at += 4) {
    // Luma of ITU-R BT.601, in thousandths.
    const luma = (299 * rgba[at]! + 587 * rgba[at + 1]! + 114 * rgba[at + 2]!) / 1000;
    const alpha = rgba[at + 3]! / 255;
    pixels[index] = Math.round(luma * alpha + 255 * (1 - alpha));
  }
  return { width, height, pixels };
}

/** Enlarged or reduced by bilinear interpolation between the pixels' middles. @param factor above 0 */
export function resized(image: GreyImage, factor: number): GreyImage {
  const width = Math.max(1, Math.round(image.width * factor));
  const height = Math.max(1, Math.round(image.height * factor));
  const pixels = new Uint8Array(width * height);
  const columns = samples(width, image.width);
  for (const [y, row] of samples(height, image.height).entries()) {
    const above = row.low * image.width;
    const below = row.high * image.width;
    for (let x = 0; x < width; x++) {
      const { low, high, part } = columns[x]!;
      const top = mix(image.pixels[above + low]!, image.pixels[above + high]!, part);
      const bottom = mix(image.pixels[below + low]!, image.pixels[below + high]!, part);
      pixels[y * width + x] = Math.round(mix(top, bottom, row.part));
    }
  }
  return { width, height, pixels };
}

export type Turn = 0 | 90 | 180 | 270;

/** Turned clockwise. @param turn degrees */
export function turned(image: GreyImage, turn: Turn): GreyImage {
  if (turn === 0) return image;
  const { width, height, pixels: from } = image;
  const isSideways = turn !== 180;
  const [columns, rows] = isSideways ? [height, width] : [width, height];
  const pixels = new Uint8Array(from.length);
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      const at =
        turn === 180
          ? (height - 1 - y) * width + (width - 1 - x)
          : turn === 90
            ? (height - 1 - x) * width + y
            : x * width + (width - 1 - y);
      pixels[y * columns + x] = from[at]!;
    }
  }
  return { width: columns, height: rows, pixels };
}

/** Turned clockwise about its middle by a few degrees, on paper that is large enough for its corners. */
export function straightened(image: GreyImage, degrees: number): GreyImage {
  const radians = (degrees * Math.PI) / 180;
  const [sin, cos] = [Math.sin(radians), Math.cos(radians)];
  const width = Math.ceil(image.width * Math.abs(cos) + image.height * Math.abs(sin));
  const height = Math.ceil(image.width * Math.abs(sin) + image.height * Math.abs(cos));
  const pixels = new Uint8Array(width * height);
  const at = (x: number, y: number): number =>
    x < 0 || y < 0 || x >= image.width || y >= image.height
      ? PAPER
      : image.pixels[y * image.width + x]!;
  for (let y = 0; y < height; y++) {
    const down = y - (height - 1) / 2;
    for (let x = 0; x < width; x++) {
      const across = x - (width - 1) / 2;
      const fromX = across * cos + down * sin + (image.width - 1) / 2;
      const fromY = down * cos - across * sin + (image.height - 1) / 2;
      const [left, top] = [Math.floor(fromX), Math.floor(fromY)];
      const [right, bottom] = [fromX - left, fromY - top];
      const above = mix(at(left, top), at(left + 1, top), right);
      const below = mix(at(left, top + 1), at(left + 1, top + 1), right);
      pixels[y * width + x] = Math.round(mix(above, below, bottom));
    }
  }
  return { width, height, pixels };
}

const PAPER = 255;

/** Where each of the new pixels lies between two of the old ones. */
function samples(count: number, of: number): { low: number; high: number; part: number }[] {
  return Array.from({ length: count }, (_, index) => {
    const place = Math.min(of - 1, Math.max(0, ((index + 0.5) * of) / count - 0.5));
    const low = Math.floor(place);
    return { low, high: Math.min(of - 1, low + 1), part: place - low };
  });
}

const mix = (a: number, b: number, part: number): number => a + (b - a) * part;

/** As a portable grey map (Netpbm's P5), which needs no compression. */
export function portableGreyMap({ width, height, pixels }: GreyImage): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`, "latin1"), pixels]);
}
