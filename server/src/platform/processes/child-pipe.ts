/**
 * The process's end of its one pipe, the only descriptor that it was given. When the pipe ends, the
 * service is gone or has given the process up, and it ends at once, whatever runs.
 */

import { Socket } from "node:net";
import process from "node:process";
import { type Frame, type FrameKind, FrameReader, frameHeader } from "./frames.ts";

const PIPE = 3;

export class ChildPipe {
  readonly #pipe = new Socket({ fd: PIPE, readable: true, writable: true });
  readonly #reader: FrameReader;

  /** @param maxFrameBytes of one message or one piece of data that comes */
  constructor(maxFrameBytes: number, receive: (frame: Frame) => void) {
    this.#reader = new FrameReader(maxFrameBytes);
    this.#pipe.on("data", (chunk: Buffer) => {
      for (const frame of this.#reader.push(chunk)) receive(frame);
    });
    this.#pipe.on("end", endNow);
    this.#pipe.on("error", endNow);
  }

  /** Resolves when more may be sent. */
  send(kind: FrameKind, payload: Uint8Array): Promise<void> {
    this.#pipe.cork();
    this.#pipe.write(frameHeader(kind, payload.byteLength));
    const isFree = this.#pipe.write(payload);
    this.#pipe.uncork();
    if (isFree) return Promise.resolve();
    return new Promise((resolve) => this.#pipe.once("drain", resolve));
  }

  sendMessage(message: unknown): Promise<void> {
    return this.send("message", Buffer.from(JSON.stringify(message)));
  }
}

/** Not `exit`, which would wait for threads that work. */
function endNow(): void {
  process.kill(process.pid, "SIGKILL");
}
