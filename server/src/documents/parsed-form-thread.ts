/** The thread that reads one large parsed document (`parsed-form.ts`). */

import { parentPort, workerData } from "node:worker_threads";
import { type ParsedFormReply, type ParsedFormTask, writeReadableText } from "./parsed-form.ts";

const { json, textPath }: ParsedFormTask = workerData;
let reply: ParsedFormReply;
try {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  reply = { kind: "read", facts: await writeReadableText(bytes, textPath) };
} catch (error) {
  reply = { kind: "fault", message: error instanceof Error ? error.message : String(error) };
}
parentPort?.postMessage(reply);
