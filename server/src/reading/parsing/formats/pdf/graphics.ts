/**
 * What else is on a page than its text: where images lie, whether letters are drawn as shapes, and which
 * of its fonts are bold. Taken from the operators that pdf.js would draw the page by.
 */

import { OPS, type PDFPageProxy, Util } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { Box } from "../../normal-form.ts";
import { ofPage } from "./damaged-page.ts";

export interface PlacedImage {
  /** On the page as it is displayed, cut at its edges; points. */
  readonly box: Box;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export interface PageGraphics {
  readonly images: readonly PlacedImage[];
  /** Filled and stroked outlines. */
  readonly shapes: number;
  /** The fonts that it uses, and whether each is bold. */
  readonly fonts: ReadonlyMap<string, boolean>;
}

type Matrix = number[];

const MAX_IMAGES = 500;

export async function graphicsOf(page: PDFPageProxy): Promise<PageGraphics> {
  const { fnArray, argsArray } = await ofPage(page.getOperatorList());
  const viewport = page.getViewport({ scale: 1 });
  const images: PlacedImage[] = [];
  const fonts = new Map<string, boolean>();
  const saved: Matrix[] = [];
  let matrix: Matrix = viewport.transform;
  let shapes = 0;
  const place = (to: Matrix, width: number, height: number): void => {
    const box = boxOf(to, viewport.width, viewport.height);
    if (box !== null && images.length < MAX_IMAGES) images.push({ box, width, height });
  };
  for (const [index, operator] of fnArray.entries()) {
    const args: unknown[] = argsArray[index] ?? [];
    switch (operator) {
      case OPS.save:
        saved.push(matrix);
        break;
      case OPS.restore:
      case OPS.paintFormXObjectEnd:
        matrix = saved.pop() ?? viewport.transform;
        break;
      case OPS.transform:
        matrix = Util.transform(matrix, args as Matrix);
        break;
      case OPS.paintFormXObjectBegin:
        saved.push(matrix);
        if (Array.isArray(args[0])) matrix = Util.transform(matrix, args[0]);
        break;
      case OPS.setFont:
        if (typeof args[0] === "string") fonts.set(args[0], isBold(page, args[0]));
        break;
      case OPS.constructPath:
        shapes += 1;
        break;
      case OPS.paintImageXObject:
        place(matrix, Number(args[1]), Number(args[2]));
        break;
      case OPS.paintInlineImageXObject:
      case OPS.paintImageMaskXObject: {
        const { width, height } = sizeOf(args[0]);
        place(matrix, width, height);
        break;
      }
      default:
    }
  }
  return { images, shapes, fonts };
}

function sizeOf(image: unknown): { width: number; height: number } {
  if (typeof image !== "object" || image === null) return { width: 0, height: 0 };
  const { width = 0, height = 0 } = image as { width?: unknown; height?: unknown };
  return { width: Number(width), height: Number(height) };
}

/** Of the unit square that an image fills. */
function boxOf(matrix: Matrix, width: number, height: number): Box | null {
  const [a, b, c, d, e, f] = matrix as [number, number, number, number, number, number];
  const x = [e, a + e, c + e, a + c + e];
  const y = [f, b + f, d + f, b + d + f];
  const left = Math.max(0, Math.min(...x));
  const top = Math.max(0, Math.min(...y));
  const right = Math.min(width, Math.max(...x));
  const bottom = Math.min(height, Math.max(...y));
  return left < right && top < bottom ? [left, top, right, bottom] : null;
}

function isBold({ commonObjs }: PDFPageProxy, name: string): boolean {
  if (!commonObjs.has(name)) return false;
  const font: unknown = commonObjs.get(name);
  if (typeof font !== "object" || font === null) return false;
  const { bold, black, name: family } = font as { bold?: unknown; black?: unknown; name?: unknown };
  return (
    bold === true || black === true || /bold|black|heavy|semibold|demi/iu.test(String(family ?? ""))
  );
}
