/**
 * What is filled into a form (AcroForm): it lies in fields above the page and not in its text, and is
 * put where the field stands, beside its label.
 */

import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { ofPage } from "./damaged-page.ts";
import type { PlacedRun } from "./page-runs.ts";

/** Letters in a field of any height. */
const LARGEST = 11;
const MAX_LINES = 200;

/** An annotation as pdf.js hands it out, as far as it is read here. */
interface Annotation {
  readonly subtype?: unknown;
  readonly fieldType?: unknown;
  readonly fieldValue?: unknown;
  readonly checkBox?: unknown;
  readonly radioButton?: unknown;
  readonly exportValue?: unknown;
  readonly buttonValue?: unknown;
  readonly hidden?: unknown;
  readonly contentsObj?: { readonly str?: unknown };
  readonly rect?: unknown;
  readonly options?: readonly { readonly exportValue?: unknown; readonly displayValue?: unknown }[];
}

export async function fieldRuns(page: PDFPageProxy): Promise<PlacedRun[]> {
  const annotations: Annotation[] = await ofPage(page.getAnnotations({ intent: "display" }));
  const viewport = page.getViewport({ scale: 1 });
  return annotations.flatMap((annotation) => {
    const lines = linesOf(annotation);
    if (lines.length === 0 || !isRectangle(annotation.rect)) return [];
    const [x1, y1, x2, y2] = annotation.rect;
    const corners = [
      viewport.convertToViewportPoint(x1, y1),
      viewport.convertToViewportPoint(x2, y2),
    ];
    const [left, right] = corners.map(([x]) => Number(x)).sort((a, b) => a - b) as [number, number];
    const [top, bottom] = corners.map(([, y]) => Number(y)).sort((a, b) => a - b) as [
      number,
      number,
    ];
    return placed(lines, [left, top, right, bottom]);
  });
}

function placed(
  lines: readonly string[],
  [left, top, right, bottom]: readonly [number, number, number, number],
): PlacedRun[] {
  const pitch = (bottom - top) / lines.length;
  const size = Math.max(4, Math.min(LARGEST, 0.75 * pitch));
  // A field of one line has its text in the middle; more begin at the top.
  const first = lines.length === 1 ? (top + bottom) / 2 + 0.3 * size : top + size;
  const step = Math.min(pitch, 1.2 * size);
  return lines.map((text, index) => ({
    text,
    x: left + Math.min(2, (right - left) / 4),
    y: first + index * step,
    // As wide as such letters usually are, within the field.
    width: Math.min(0.95 * (right - left), 0.5 * size * text.length),
    size,
    angle: 0,
    font: "",
  }));
}

/** What a reader sees in the field. */
function linesOf(annotation: Annotation): string[] {
  const { subtype, fieldType, fieldValue, hidden } = annotation;
  if (hidden === true) return [];
  if (subtype === "FreeText") return textLines(annotation.contentsObj?.str);
  if (subtype !== "Widget") return [];
  if (fieldType === "Tx") return textLines(fieldValue);
  if (fieldType === "Ch")
    return (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).flatMap((value) =>
      textLines(displayed(annotation, value)),
    );
  if (fieldType !== "Btn") return [];
  if (annotation.checkBox === true) return [fieldValue === annotation.exportValue ? "☒" : "☐"];
  if (annotation.radioButton === true) return [fieldValue === annotation.buttonValue ? "☒" : "☐"];
  return [];
}

function displayed({ options = [] }: Annotation, value: unknown): unknown {
  return options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value;
}

function textLines(value: unknown): string[] {
  if (typeof value !== "string") return [];
  return value
    .split(/\r\n|[\r\n]/u, MAX_LINES)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function isRectangle(rect: unknown): rect is [number, number, number, number] {
  return Array.isArray(rect) && rect.length === 4 && rect.every(Number.isFinite);
}
