/**
 * A document in pieces that fit into a prompt. Pieces end at line ends where there are any, and
 * share some lines, so that what stands across an end is whole in one of them.
 */

export interface Window {
  readonly start: number;
  readonly end: number;
}

export interface WindowLimits {
  readonly windowCharacters: number;
  readonly overlapCharacters: number;
  readonly windowsPerDocument: number;
}

/** In order; of a longer text the first ones and the last. */
export function windowsOf(text: string, limits: WindowLimits): Window[] {
  const { windowCharacters, overlapCharacters, windowsPerDocument } = limits;
  const windows: Window[] = [];
  let start = 0;
  while (start < text.length && windows.length < windowsPerDocument) {
    const isLast = windows.length === windowsPerDocument - 1;
    if (isLast) start = Math.max(start, text.length - windowCharacters);
    const end = cutBefore(text, start, start + windowCharacters);
    windows.push({ start, end });
    if (end >= text.length) break;
    start = afterLineEnd(text, Math.max(start + 1, end - overlapCharacters), end);
  }
  return windows;
}

/** The last line end in the second half of the piece, or where the piece is full. */
function cutBefore(text: string, start: number, full: number): number {
  if (full >= text.length) return text.length;
  const line = text.lastIndexOf("\n", full);
  if (line > (start + full) / 2) return line;
  // Not between the halves of a code point.
  return isLowSurrogate(text, full) ? full - 1 : full;
}

function afterLineEnd(text: string, from: number, end: number): number {
  const line = text.indexOf("\n", from);
  const start = line < 0 || line >= end ? from : line + 1;
  return isLowSurrogate(text, start) ? start + 1 : start;
}

function isLowSurrogate(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff;
}
