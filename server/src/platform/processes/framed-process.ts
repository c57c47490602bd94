/**
 * The service's end of a process that works for it behind walls: an almost empty environment, a folder
 * of its own, and one pipe. It is believed nothing: what it says is checked, how much it says is
 * bounded. One request is answered before the next is sent.
 */

import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import process from "node:process";
import { type FrameKind, FrameReader, frameHeader } from "./frames.ts";
import { endFirst } from "./process-memory.ts";

/** A process is gone, and with it what it worked on. */
export class ProcessGoneError extends Error {
  override readonly name = "ProcessGoneError";
}

export interface FramedProcessOptions<Answer> {
  /** The module that it runs. */
  readonly main: string;
  /** Its working folder, which exists. */
  readonly folder: string;
  /** V8's heap. */
  readonly heapMegabytes: number;
  /** Flags of Node beside those of every such process. */
  readonly flags?: readonly string[];
  /** Of one message or one piece of data that it sends. */
  readonly maxFrameBytes: number;
  /** Checks a message of it. @throws of any kind where it is none */
  readonly read: (message: unknown) => { readonly id: number; readonly answer: Answer };
}

interface Pending<Answer> {
  readonly id: number;
  readonly onData: ((bytes: Buffer) => void) | null;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class FramedProcess<Answer> {
  readonly #child: ChildProcess;
  readonly #pipe: Socket;
  readonly #reader: FrameReader;
  readonly #read: FramedProcessOptions<Answer>["read"];
  /** When nothing of it is left. */
  readonly ended: Promise<void>;
  #pending: Pending<Answer> | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 1;
  #gone = false;
  #endedBy: NodeJS.Signals | null = null;

  constructor(options: FramedProcessOptions<Answer>) {
    this.#reader = new FrameReader(options.maxFrameBytes);
    this.#read = options.read;
    this.#child = spawn(
      process.execPath,
      [
        "--disable-warning=ExperimentalWarning",
        `--max-old-space-size=${options.heapMegabytes}`,
        ...(options.flags ?? []),
        options.main,
      ],
      {
        cwd: options.folder,
        env: { TZ: "UTC", LANG: "C.UTF-8" },
        stdio: ["ignore", "ignore", "ignore", "pipe"],
      },
    );
    // A pipe that was asked for is a socket; Node types only the first three more closely.
    this.#pipe = this.#child.stdio[3] as Socket;
    this.#pipe.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#pipe.on("error", () => this.kill());
    this.ended = new Promise((resolve) => {
      const gone = (signal: NodeJS.Signals | null): void => {
        this.#gone = true;
        this.#endedBy = signal;
        this.#pending?.reject(new ProcessGoneError("the process is gone"));
        this.#pending = null;
        this.#pipe.destroy();
        resolve();
      };
      this.#child.once("exit", (_code, signal) => gone(signal));
      this.#child.once("error", () => gone(null));
    });
    if (this.#child.pid !== undefined) void endFirst(this.#child.pid);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** The signal that it died of, if it did. */
  get endedBy(): NodeJS.Signals | null {
    return this.#endedBy;
  }

  /**
   * Sends `{kind: "request", id, request}` when what was asked before is answered.
   *
   * @param onData takes the bytes that come before the answer
   * @throws ProcessGoneError
   */
  ask(request: unknown, onData: ((bytes: Buffer) => void) | null = null): Promise<Answer> {
    const answering = this.#last.then(() => this.#send(request, onData));
    this.#last = answering.catch(() => undefined);
    return answering;
  }

  /** A message that nothing answers; it does not wait for what was asked before. */
  tell(message: unknown): void {
    void this.#write("message", Buffer.from(JSON.stringify(message)));
  }

  /** Bytes, as they are; resolves when more may be sent. */
  give(bytes: Uint8Array): Promise<void> {
    return this.#write("data", bytes);
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** What it said cannot be believed: it is ended. */
  distrust(message: string, cause?: unknown): ProcessGoneError {
    this.kill();
    return new ProcessGoneError(message, { cause });
  }

  #send(request: unknown, onData: ((bytes: Buffer) => void) | null): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#gone) {
        reject(new ProcessGoneError("the process is gone"));
        return;
      }
      const id = this.#nextId++;
      this.#pending = { id, onData, resolve, reject };
      this.tell({ kind: "request", id, request });
    });
  }

  #write(kind: FrameKind, payload: Uint8Array): Promise<void> {
    const pipe = this.#pipe;
    if (this.#gone || pipe.destroyed) return Promise.resolve();
    pipe.cork();
    pipe.write(frameHeader(kind, payload.byteLength));
    const isFree = pipe.write(payload);
    pipe.uncork();
    if (isFree) return Promise.resolve();
    return new Promise((resolve) => {
      const free = (): void => {
        pipe.off("drain", free);
        pipe.off("close", free);
        resolve();
      };
      pipe.on("drain", free);
      pipe.on("close", free);
    });
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.push(chunk)) {
        const pending = this.#pending;
        if (pending === null) throw new Error("it speaks without being asked");
        if (frame.kind === "data") {
          if (pending.onData === null) throw new Error("bytes that nobody asked for");
          pending.onData(frame.payload);
          continue;
        }
        const { id, answer } = this.#read(JSON.parse(frame.payload.toString("utf8")));
        if (id !== pending.id) throw new Error("an answer to nothing");
        this.#pending = null;
        pending.resolve(answer);
      }
    } catch (cause) {
      const fault = this.distrust("what the process says is not of the protocol", cause);
      this.#pending?.reject(fault);
      this.#pending = null;
    }
  }
}
