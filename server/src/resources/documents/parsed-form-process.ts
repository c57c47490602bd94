/** The process that reads one large parsed document (`parsed-form.ts`). */

import process from "node:process";
import { type ParsedFormReply, type ParsedFormTask, writeReadableText } from "./parsed-form.ts";

process.once("message", ({ json, textPath }: ParsedFormTask) => {
  writeReadableText(Buffer.from(json.buffer, json.byteOffset, json.byteLength), textPath).then(
    (facts) => reply({ kind: "read", facts }),
    (error: unknown) => {
      reply({ kind: "fault", message: error instanceof Error ? error.message : String(error) });
    },
  );
});
// The service is gone: nobody waits for the reply.
process.once("disconnect", () => process.exit());

function reply(said: ParsedFormReply): void {
  process.send?.(said);
}
