/**
 * JSON as what a reader would make of it: members are lines of a label (the path to them, with dots) and
 * a value, lists of flat objects are tables, texts of several lines are texts. Numbers are as written,
 * what is null is not there.
 */

import type { ParsingLimits } from "../../limits.ts";
import type { ParsedDocument } from "../../normal-form.ts";
import { JsonBlocks } from "./json-blocks.ts";
import { readJson } from "./read-json.ts";

/** Null for what is no JSON. @throws DocumentFault `too_deep`, `too_large` */
export function parseJson(text: string, limits: ParsingLimits): ParsedDocument | null {
  const value = readJson(text, limits);
  if (value === undefined) return null;
  const writer = new JsonBlocks();
  writer.add("", value);
  writer.end();
  return {
    version: 1,
    mediaType: "application/json",
    title: null,
    pages: [{ number: 1, width: null, height: null, blocks: writer.blocks }],
    warnings: [],
  };
}
