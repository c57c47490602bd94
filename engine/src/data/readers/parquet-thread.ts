/** The other end of `parquet-worker.ts`: a Parquet file read in a thread of its own. */

import process from "node:process";
import { Worker } from "node:worker_threads";
import { ownModule } from "../../compute/own-file.ts";
import { shown } from "../shown.ts";
import { DataError } from "../table.ts";
import { DataLimitError, inMebibytes } from "./read-limits.ts";

/** The path of a file, or its bytes; a blob that lies in a file cannot cross threads. */
export type ParquetSource = string | Blob;

export interface ParquetRequest {
  readonly kind: "columns";
  /** One or more, in the order of the file. */
  readonly columns: readonly {
    readonly name: string;
    /** Among the leaves of the schema, which has no others. */
    readonly index: number;
  }[];
  readonly rows: number;
}

/** So many bytes of batches are read: more may come. */
export interface BatchTaken {
  readonly kind: "taken";
  readonly bytes: number;
  /** Goes back to the thread whose allocator it is from, which gives it to the next. */
  readonly spent: ArrayBuffer | null;
}

export type ParquetReply =
  | {
      readonly kind: "opened";
      readonly schema: Uint8Array;
      readonly rows: number;
      readonly columns: number;
    }
  | { readonly kind: "batch"; readonly ipc: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "fault"; readonly message: string }
  /** A batch or a page unpacks to more than the module can hold. */
  | { readonly kind: "full"; readonly bytes: number };

const WATCH_MS = 10;

export class ParquetThread {
  readonly #worker: Worker;
  readonly #replies: ParquetReply[] = [];
  #waiting: (() => void) | null = null;

  constructor(source: ParquetSource) {
    const file = ownModule("parquet-worker", import.meta.url);
    // Its output is only what an aborting module prints; the fault is reported by the error.
    this.#worker = new Worker(file, { workerData: source, stdout: true, stderr: true });
    this.#worker.on("message", (reply: ParquetReply) => this.#receive(reply));
    this.#worker.on("error", (error) => this.#receive({ kind: "fault", message: error.message }));
    this.#worker.on("exit", () => this.#receive({ kind: "fault", message: "the reader ended" }));
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
  }

  /** The schema as an Arrow IPC stream without batches, and the numbers of rows and leaf columns. */
  async open(): Promise<Extract<ParquetReply, { kind: "opened" }>> {
    const reply = await this.#next();
    if (reply.kind !== "opened") throw new Error(`unexpected ${reply.kind} from the reader`);
    return reply;
  }

  /**
   * The batches of some columns, each as an Arrow IPC stream. A batch may be read until the one behind the next is asked for.
   *
   * @param request of several columns: what is wrong with one of them is said of the first
   * @param mostBytes that the process may grow by meanwhile: a text of a dictionary may be unpacked for
   *   each of a batch's rows, which nothing in the file announces
   * @throws DataLimitError; by then the thread has ended
   */
  async *columns(request: ParquetRequest, mostBytes: number): AsyncGenerator<Uint8Array> {
    const before = process.memoryUsage.rss();
    const watch = setInterval(() => {
      if (process.memoryUsage.rss() - before < mostBytes) return;
      clearInterval(watch);
      this.#replies.length = 0;
      this.#receive({ kind: "full", bytes: mostBytes });
      void this.close();
    }, WATCH_MS);
    try {
      this.#worker.postMessage(request);
      let spent: ArrayBuffer | null = null;
      for (;;) {
        const reply = await this.#next(request.columns[0].name);
        if (reply.kind !== "batch") return;
        yield reply.ipc;
        const { buffer, byteLength: bytes } = reply.ipc;
        const taken: BatchTaken = { kind: "taken", bytes, spent };
        this.#worker.postMessage(taken, spent === null ? [] : [spent]);
        spent = buffer instanceof ArrayBuffer ? buffer : null;
      }
    } finally {
      clearInterval(watch);
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(reply: ParquetReply): void {
    this.#replies.push(reply);
    this.#waiting?.();
  }

  /** @param column that is read; null before any is */
  async #next(column: string | null = null): Promise<ParquetReply> {
    for (;;) {
      const reply = this.#replies.shift();
      if (reply?.kind === "fault") {
        // What the module says is for those who wrote it.
        throw parquetFault(column, new Error(reply.message));
      }
      if (reply?.kind === "full") {
        throw new DataLimitError(
          "tableBytes",
          reply.bytes,
          `Some rows of ${column === null ? "the Parquet file" : `column ${shown(column)} of the Parquet file`} unpack to more than ${inMebibytes(reply.bytes)} at once, which is the limit; write it in smaller pages, or with shorter texts.`,
          column === null ? {} : { column },
        );
      }
      if (reply !== undefined) return reply;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
  }
}

const NOT_READ = /not (?:yet )?(?:implemented|supported)|unsupported|disabled feature|codec/i;

/** @param column null = what is said of all columns */
function parquetFault(column: string | null, cause: Error): DataError {
  const where = column === null ? {} : { column };
  const what = column === null ? "The Parquet file" : `Column ${shown(column)} of the Parquet file`;
  if (NOT_READ.test(cause.message)) {
    return new DataError(
      `${what} is encrypted, or compressed or encoded in a way that is not supported; write it without encryption, compressed with snappy or zstd.`,
      { ...where, cause },
    );
  }
  const fault =
    column === null
      ? "is damaged: the description of its columns in its footer cannot be read"
      : "is damaged: its values cannot be read";
  return new DataError(`${what} ${fault}. Export the file again, or upload it once more.`, {
    ...where,
    cause,
  });
}
