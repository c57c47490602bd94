/** The text of a PDF's page as runs, by the direction that they are read in. */

import { setImmediate } from "node:timers/promises";
import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { isRightToLeft, turned } from "../../layout/direction.ts";
import type { GlyphRun } from "../../layout/glyph-run.ts";
import { ofPage } from "./damaged-page.ts";
import { type Frame, frameOf, intoFrame } from "./frame.ts";

/** Runs of one direction, in its frame. */
export interface DirectedRuns {
  readonly frame: Frame;
  readonly runs: GlyphRun[];
}

/** A run on the page as it is displayed. */
export interface PlacedRun {
  readonly text: string;
  /** Where its baseline begins. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size: number;
  /** Degrees, clockwise. */
  readonly angle: number;
  readonly font: string;
}

export interface PlacedRuns {
  readonly runs: readonly PlacedRun[];
  /** Pieces of text that pdf.js gave, runs or not. */
  readonly read: number;
  readonly isWhole: boolean;
}

/** Degrees within which text counts as level. */
const LEVEL = 4;
/** Sizes in points that are letters. */
const SMALLEST = 0.5;
const LARGEST = 2000;

/** @param most that are read of the page */
export async function placedRuns(page: PDFPageProxy, most: number): Promise<PlacedRuns> {
  const viewport = page.getViewport({ scale: 1 });
  const [a, b, c, d, e, f] = viewport.transform as Matrix;
  const scale = Math.hypot(a, b);
  const { items, isWhole } = await ofPage(textItems(page, most));
  const runs: PlacedRun[] = [];
  for (const item of items) {
    if (!("str" in item) || item.str === "") continue;
    const [ia, ib, ic, id, ie, ig] = item.transform as Matrix;
    const along: [number, number] = [a * ia + c * ib, b * ia + d * ib];
    const upward = Math.hypot(a * ic + c * id, b * ic + d * id);
    const size = upward > 0 ? upward : Math.hypot(...along);
    const [x, y] = [a * ie + c * ig + e, b * ie + d * ig + f];
    if (!(size >= SMALLEST && size <= LARGEST) || !Number.isFinite(x + y + item.width)) continue;
    const angle = levelled((Math.atan2(along[1], along[0]) * 180) / Math.PI);
    runs.push({
      text: textOf(item),
      x,
      y,
      width: item.width * scale,
      size,
      angle,
      font: item.fontName,
    });
  }
  return { runs, read: items.length, isWhole };
}

type TextContent = Awaited<ReturnType<PDFPageProxy["getTextContent"]>>;
type TextItems = TextContent["items"];

/** What pdf.js finds, as far as it is asked: it pauses a hundred ahead of whoever reads, and ends where it is told to. */
async function textItems(
  page: PDFPageProxy,
  most: number,
): Promise<{ readonly items: TextItems; readonly isWhole: boolean }> {
  const reader: ReadableStreamDefaultReader<TextContent> = page
    .streamTextContent({ disableNormalization: false })
    .getReader();
  const items: TextItems = [];
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return { items, isWhole: true };
    for (const item of value.items) items.push(item);
    if (items.length > most) {
      // By then it pauses: while it is at work it does not hear.
      await setImmediate();
      await reader.cancel(new Error("enough of the page has been read"));
      return { items: items.slice(0, most), isWhole: false };
    }
  }
}

/** A run of a number and few letters counts as read from the left, though its letters are none such. */
function textOf({ str, dir }: { readonly str: string; readonly dir: string }): string {
  return dir === "ltr" && !/[A-Za-z]/.test(str) && isRightToLeft(str) ? turned(str) : str;
}

type Matrix = [number, number, number, number, number, number];

/** From 0 up to 360; whole degrees. */
function levelled(angle: number): number {
  const quarter = Math.round(angle / 90) * 90;
  const near = Math.abs(angle - quarter) <= LEVEL ? quarter : Math.round(angle);
  return (near + 360) % 360;
}

/**
 * The runs of the direction that most of the page is read in first, then the others.
 *
 * @param boldFonts names of fonts whose letters are bold
 */
export function directedRuns(
  placed: readonly PlacedRun[],
  size: { readonly width: number; readonly height: number },
  boldFonts: ReadonlySet<string>,
): DirectedRuns[] {
  const letters = new Map<number, number>();
  for (const { angle, text } of placed) {
    letters.set(angle, (letters.get(angle) ?? 0) + text.trim().length);
  }
  const angles = [...letters].sort(([a, most], [b, least]) => least - most || a - b);
  return angles.map(([angle]) => {
    const frame = frameOf(angle, size.width, size.height);
    const runs = placed
      .filter((run) => run.angle === angle)
      .map((run): GlyphRun => {
        const [left, baseline] = intoFrame(frame, [run.x, run.y]);
        const { text, width, size } = run;
        const bold = boldFonts.has(run.font);
        return { text, left, right: left + width, baseline, size, bold, confidence: null };
      });
    return { frame, runs };
  });
}
