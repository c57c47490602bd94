/**
 * The service's end of a query's process. A process has an almost empty environment, a folder of its
 * own, and one pipe; it is believed nothing: what it says is checked, how much it says is bounded.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { SqlError } from "../query.ts";
import { FrameReader, frameHeader } from "./frames.ts";
import {
  type Answer,
  type Answers,
  answerSchema,
  type InstanceLimits,
  MAX_FRAME_BYTES,
  type Request,
  type ToChild,
} from "./messages.ts";
import { endFirst } from "./process-memory.ts";

const MAIN = fileURLToPath(new URL("./child/main.ts", import.meta.url));

/** V8's heap in the process: for rows as text on their way out. */
const HEAP_MEGABYTES = 1024;

/** A process is gone, and with it the query that it had. */
export class ProcessGoneError extends Error {
  override readonly name = "ProcessGoneError";
}

interface Pending {
  readonly id: number;
  readonly onData: ((bytes: Buffer) => void) | null;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class QueryProcess {
  readonly #child: ChildProcess;
  readonly #pipe: Socket;
  readonly #reader = new FrameReader(MAX_FRAME_BYTES);
  readonly #root: string;
  readonly #limits: InstanceLimits;
  readonly ended: Promise<void>;
  #pending: Pending | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 1;
  #sessions = 0;
  #folder: string;
  #gone = false;

  /** @param root a folder for this process alone, which exists */
  constructor(root: string, limits: InstanceLimits) {
    this.#root = root;
    this.#limits = limits;
    this.#folder = root;
    this.#child = spawn(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", `--max-old-space-size=${HEAP_MEGABYTES}`, MAIN],
      {
        cwd: root,
        env: { TZ: "UTC", LANG: "C.UTF-8" },
        stdio: ["ignore", "ignore", "ignore", "pipe"],
      },
    );
    // A pipe that was asked for is a socket; Node types only the first three more closely.
    this.#pipe = this.#child.stdio[3] as Socket;
    this.#pipe.on("data", (chunk: Buffer) => this.#receive(chunk));
    this.#pipe.on("error", () => this.kill());
    this.ended = new Promise((resolve) => {
      const gone = (): void => {
        this.#gone = true;
        this.#pending?.reject(new ProcessGoneError("the query's process is gone"));
        this.#pending = null;
        this.#pipe.destroy();
        resolve();
      };
      this.#child.once("exit", gone);
      this.#child.once("error", gone);
    });
    if (this.#child.pid !== undefined) void endFirst(this.#child.pid);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isGone(): boolean {
    return this.#gone;
  }

  /** Sessions that it was made ready for. */
  get sessions(): number {
    return this.#sessions;
  }

  /** The folder of its session. */
  get folder(): string {
    return this.#folder;
  }

  /** Makes it ready for the next session, in a new folder; the last one's is removed. */
  async open(): Promise<void> {
    const last = this.#folder;
    this.#sessions += 1;
    this.#folder = join(this.#root, String(this.#sessions));
    await mkdir(this.#folder, { mode: 0o700 });
    await this.request({ kind: "open", folder: this.#folder, limits: this.#limits });
    if (last !== this.#root) await rm(last, { recursive: true, force: true });
  }

  /**
   * @param onData takes the bytes that come before the answer
   * @throws SqlError, ProcessGoneError
   */
  async request<Kind extends Request["kind"]>(
    request: Extract<Request, { kind: Kind }>,
    onData: ((bytes: Buffer) => void) | null = null,
  ): Promise<Answers[Kind]> {
    const answering = this.#last.then(() => this.#send(request, onData));
    this.#last = answering.catch(() => undefined);
    const answer = await answering;
    if (answer.kind === "failed") {
      throw new StatementFailure(answer);
    }
    if (answer.kind !== ANSWER_KINDS[request.kind]) throw this.#fault("an answer of another kind");
    // The kind says which of the answers it is.
    return answer as Answers[Kind];
  }

  /** Asks what runs to stop; whether it does is the caller's to watch. */
  interrupt(): void {
    this.#write({ kind: "interrupt" });
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  /** Ends it and removes what it left. */
  async close(): Promise<void> {
    this.kill();
    await this.ended;
    await rm(this.#root, { recursive: true, force: true });
  }

  #send(request: Request, onData: ((bytes: Buffer) => void) | null): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#gone) {
        reject(new ProcessGoneError("the query's process is gone"));
        return;
      }
      const id = this.#nextId++;
      this.#pending = { id, onData, resolve, reject };
      this.#write({ kind: "request", id, request });
    });
  }

  #write(message: ToChild): void {
    if (this.#gone || this.#pipe.destroyed) return;
    const payload = Buffer.from(JSON.stringify(message));
    this.#pipe.cork();
    this.#pipe.write(frameHeader("message", payload.length));
    this.#pipe.write(payload);
    this.#pipe.uncork();
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
        const { id, answer } = answerSchema.parse(JSON.parse(frame.payload.toString("utf8")));
        if (id !== pending.id) throw new Error("an answer to nothing");
        this.#pending = null;
        pending.resolve(answer);
      }
    } catch (cause) {
      this.#pending?.reject(this.#fault("what it says is not of the protocol", cause));
      this.#pending = null;
    }
  }

  #fault(message: string, cause?: unknown): ProcessGoneError {
    this.kill();
    return new ProcessGoneError(message, { cause });
  }
}

const ANSWER_KINDS = {
  open: "opened",
  parse: "parsed",
  plan: "planned",
  schema: "schema",
  explain: "explained",
  run: "ran",
} as const satisfies Record<Request["kind"], Answer["kind"]>;

/** A failure that the process itself tells. */
export class StatementFailure extends SqlError {
  /** The table that does not exist, where that is the failure. */
  readonly missing: string | null;
  /** Nothing more should run in the process. */
  readonly retire: boolean;

  constructor(failed: Extract<Answer, { kind: "failed" }>) {
    super(failed.failure, failed.message, { position: failed.position });
    this.missing = failed.missing;
    this.retire = failed.retire;
  }
}
