/** A query's process: requests come and answers go over its one pipe. */

import process from "node:process";
import { ChildPipe } from "../../../../platform/processes/child-pipe.ts";
import { type Answer, MAX_FRAME_BYTES, type ToChild } from "../messages.ts";
import { Session } from "./session.ts";

const pipe = new ChildPipe(MAX_FRAME_BYTES, ({ payload }) =>
  receive(JSON.parse(payload.toString("utf8"))),
);
const session = new Session([process.cwd()], (bytes) => pipe.send("data", bytes));
let last: Promise<void> = Promise.resolve();

async function answerTo(id: number, answering: Promise<Answer>): Promise<void> {
  await pipe.sendMessage({ id, answer: await answering });
}

function receive(message: ToChild): void {
  if (message.kind === "interrupt") {
    session.interrupt();
    return;
  }
  // An answer that cannot be sent ends the process, as an unhandled rejection.
  last = last.then(() => answerTo(message.id, session.answer(message.request)));
}
