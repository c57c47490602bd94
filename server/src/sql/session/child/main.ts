/**
 * A query's process: requests come and answers go over one pipe, the only descriptor that it was given.
 * When the pipe ends, the service is gone or has given it up, and it ends at once, whatever runs.
 */

import { Socket } from "node:net";
import process from "node:process";
import { type FrameKind, FrameReader, frameHeader } from "../frames.ts";
import { type Answer, MAX_FRAME_BYTES, type ToChild } from "../messages.ts";
import { Session } from "./session.ts";

const PIPE = 3;

const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
const reader = new FrameReader(MAX_FRAME_BYTES);

/** Not `exit`, which would wait for the threads of a running statement. */
function end(): void {
  process.kill(process.pid, "SIGKILL");
}

function send(kind: FrameKind, payload: Uint8Array): Promise<void> {
  pipe.cork();
  pipe.write(frameHeader(kind, payload.byteLength));
  const free = pipe.write(payload);
  pipe.uncork();
  if (free) return Promise.resolve();
  return new Promise((resolve) => pipe.once("drain", resolve));
}

const session = new Session([process.cwd()], (bytes) => send("data", bytes));
let last: Promise<void> = Promise.resolve();

async function answerTo(id: number, answering: Promise<Answer>): Promise<void> {
  await send("message", Buffer.from(JSON.stringify({ id, answer: await answering })));
}

function receive(message: ToChild): void {
  if (message.kind === "interrupt") {
    session.interrupt();
    return;
  }
  // An answer that cannot be sent ends the process, as an unhandled rejection.
  last = last.then(() => answerTo(message.id, session.answer(message.request)));
}

pipe.on("data", (chunk: Buffer) => {
  for (const frame of reader.push(chunk)) receive(JSON.parse(frame.payload.toString("utf8")));
});
pipe.on("end", end);
pipe.on("error", end);
