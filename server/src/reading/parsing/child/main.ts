/** A parser's process: documents come and what they hold goes over its one pipe, one after the other. */

import { z } from "zod";
import { ChildPipe } from "../../../platform/processes/child-pipe.ts";
import { refuseNetwork } from "../../../platform/processes/no-network.ts";
import { DocumentFault } from "../document-fault.ts";
import type { ParsingLimits } from "../limits.ts";
import { megabytes } from "../limits.ts";
import { parseBytes } from "../parse.ts";
import {
  MAX_PARSER_FRAME_BYTES,
  type ParseRequest,
  type ParserAnswer,
  PIECE_BYTES,
} from "../parser-messages.ts";

const requestSchema = z.object({
  id: z.int(),
  // The service is believed what its limits are.
  request: z.custom<ParseRequest>((value) => typeof value === "object" && value !== null),
});

let pieces: Buffer[] = [];

refuseNetwork();

const pipe = new ChildPipe(MAX_PARSER_FRAME_BYTES, ({ kind, payload }) => {
  if (kind === "data") {
    pieces.push(payload);
    return;
  }
  const { id, request } = requestSchema.parse(JSON.parse(payload.toString("utf8")));
  const bytes = Buffer.concat(pieces);
  pieces = [];
  // An answer that cannot be sent ends the process, as an unhandled rejection.
  void answer(bytes, request).then((said) => pipe.sendMessage({ id, answer: said }));
});

async function answer(bytes: Buffer, { limits, ...sent }: ParseRequest): Promise<ParserAnswer> {
  try {
    await sendJson(JSON.stringify(await parseBytes(bytes, sent, limits)), limits);
    return { kind: "parsed" };
  } catch (error) {
    if (error instanceof DocumentFault) {
      return { kind: "fault", code: error.code, message: error.message };
    }
    return {
      kind: "failed",
      message: error instanceof Error ? (error.stack ?? error.message) : "",
    };
  }
}

/** @throws DocumentFault `too_large` */
async function sendJson(json: string, { outputBytes }: ParsingLimits): Promise<void> {
  const bytes = Buffer.from(json);
  if (bytes.length > outputBytes) {
    throw new DocumentFault(
      "too_large",
      `The document's content takes ${megabytes(bytes.length)}; at most ${megabytes(outputBytes)} are kept. Split it into smaller files.`,
    );
  }
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    await pipe.send("data", bytes.subarray(start, start + PIECE_BYTES));
  }
}
