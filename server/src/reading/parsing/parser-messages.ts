/**
 * What the service and a parser's process say to each other. A document's bytes come as data frames
 * before the request that names them; the parsed document goes as data frames of JSON before the answer.
 */

import { z } from "zod";
import { DOCUMENT_FAULTS } from "./document-fault.ts";
import type { ParsingLimits } from "./limits.ts";
import type { DocumentName } from "./text-format.ts";

/** Of one piece of a document, before and after. */
export const PIECE_BYTES = 1 << 20;

/** Of one frame, either way. */
export const MAX_PARSER_FRAME_BYTES = 2 << 20;

export interface ParseRequest extends DocumentName {
  readonly limits: ParsingLimits;
}

export const parserAnswerSchema = z.object({
  id: z.int(),
  answer: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("parsed") }),
    z.object({ kind: z.literal("fault"), code: z.enum(DOCUMENT_FAULTS), message: z.string() }),
    /** A fault of the parser, not of the document. */
    z.object({ kind: z.literal("failed"), message: z.string() }),
  ]),
});
export type ParserAnswer = z.output<typeof parserAnswerSchema>["answer"];
