/**
 * The one form that every document takes: pages of blocks of lines of spans, whatever the file was.
 *
 * Lengths are points (1/72 inch) from the page's top left corner; text formats have no boxes. A line
 * is what a reader sees as one line; its spans are its pieces that stand apart from each other by
 * more than a word's space (two columns, a label and its value), in reading order.
 */

import { z } from "zod";

/** Left, top, right, bottom; in points from the top left corner of the page. */
export const boxSchema = z.tuple([z.number(), z.number(), z.number(), z.number()]).readonly();

export const spanSchema = z.object({
  /** Without line breaks, trimmed, never empty. */
  text: z.string(),
  /** Null where the format knows no positions. */
  box: boxSchema.nullable(),
  /** Of a line of characters with gaps: how many places its first letter stands from the margin. */
  column: z.int().optional(),
  bold: z.boolean().optional(),
  /** Height of the letters in points. */
  size: z.number().optional(),
  /** What optical character recognition says of itself, 0 to 1. */
  confidence: z.number().optional(),
});

const lineSchema = z.object({ spans: z.array(spanSchema) });

const cellSchema = z.object({
  lines: z.array(lineSchema),
  /** Columns and rows that it takes; 1 where absent. */
  columns: z.int().optional(),
  rows: z.int().optional(),
});

const blockSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("heading"),
    level: z.int().min(1).max(6),
    lines: z.array(lineSchema),
  }),
  z.object({ kind: z.literal("paragraph"), lines: z.array(lineSchema) }),
  z.object({ kind: z.literal("list_item"), lines: z.array(lineSchema) }),
  z.object({
    kind: z.literal("table"),
    /** Its first rows that are headers. */
    headerRows: z.int().min(0),
    rows: z.array(z.array(cellSchema)),
  }),
]);

const pageSchema = z.object({
  /** From 1. */
  number: z.int().min(1),
  /** Points; null where the format has no pages. */
  width: z.number().nullable(),
  height: z.number().nullable(),
  blocks: z.array(blockSchema),
});

export const parsedDocumentSchema = z.object({
  version: z.literal(1),
  /** What the bytes were found to be. */
  mediaType: z.string(),
  title: z.string().nullable(),
  pages: z.array(pageSchema),
  /** What a reader of the result should know, e.g. that a page was read optically. */
  warnings: z.array(z.string()),
});

export type Box = z.infer<typeof boxSchema>;
export type Span = z.infer<typeof spanSchema>;
export type Line = z.infer<typeof lineSchema>;
export type Cell = z.infer<typeof cellSchema>;
export type Block = z.infer<typeof blockSchema>;
export type Page = z.infer<typeof pageSchema>;
export type ParsedDocument = z.infer<typeof parsedDocumentSchema>;
