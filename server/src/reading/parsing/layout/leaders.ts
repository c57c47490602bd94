/**
 * Rules made of characters: dots that lead the eye from a label to its value part them and go; lines to
 * write on (`______`) stand as spans of their own.
 */

import type { GlyphRun } from "./glyph-run.ts";

/** A line to write on, whole. */
export const isRule = (text: string): boolean => /^[\s_]*___[\s_]*$/u.test(text);

const RULE = /[._…·](?:\s?[._…·]){3,}/gu;

/** The run in parts. Where a part stands is told by its share of the characters. */
export function withoutLeaders(run: GlyphRun): GlyphRun[] {
  if (!/[._…·]\s?[._…·]/u.test(run.text)) return [run];
  const parts: GlyphRun[] = [];
  const width = (run.right - run.left) / Math.max(1, run.text.length);
  const part = (start: number, end: number): void => {
    const text = run.text.slice(start, end);
    if (text.trim() === "") return;
    const [left, right] = [run.left + start * width, run.left + end * width];
    parts.push({ ...run, text, left, right });
  };
  let end = 0;
  for (const { 0: rule, index } of run.text.matchAll(RULE)) {
    part(end, index);
    end = index + rule.length;
    if (rule.includes("_")) part(index, end);
  }
  part(end, run.text.length);
  return parts;
}
