/**
 * A process's time with one query: it is watched for its memory and for the query's end in time. What
 * is interrupted and does not stop is killed; what the process died of becomes the query's failure.
 */

import { ArrowSchemaError } from "@distillery/engine/arrow";
import type { Schema } from "apache-arrow";
import { ProcessGoneError } from "../../../platform/processes/framed-process.ts";
import { residentBytes } from "../../../platform/processes/process-memory.ts";
import { parseSchemaMessage } from "../../arrow/schema-message.ts";
import type { CsvFile, CsvLook } from "../csv-look.ts";
import { SqlError } from "../query.ts";
import type { ChunksRequest, FileChunks, SchemaReader } from "../scan.ts";
import { excessOf } from "./file-watch.ts";
import type { SessionLimits } from "./limits.ts";
import type { Answers, Request } from "./messages.ts";
import { type QueryProcess, StatementFailure } from "./query-process.ts";

const WATCH_MS = 25;
/** Of a file that the query writes. */
const FILE_WATCH_MS = 100;

/**
 * What a process answered as the columns of a statement or of a file, which others wrote.
 *
 * @throws SqlError where there are more of them, or deeper ones, than are taken
 */
export function schemaOfColumns(message: string): Schema {
  try {
    return parseSchemaMessage(message);
  } catch (error) {
    if (!(error instanceof ArrowSchemaError) || error.fault !== "limit") throw error;
    throw new SqlError("invalid", error.message, { cause: error });
  }
}

export class QuerySession implements SchemaReader {
  readonly #process: QueryProcess;
  readonly #limits: SessionLimits;
  readonly #signal: AbortSignal;
  readonly #watch: NodeJS.Timeout;
  #grace: NodeJS.Timeout | null = null;
  #tooLarge: SqlError | null = null;
  #healthy = true;

  /** @param signal ends the query */
  constructor(process: QueryProcess, limits: SessionLimits, signal: AbortSignal) {
    this.#process = process;
    this.#limits = limits;
    this.#signal = signal;
    this.#watch = setInterval(() => void this.#look(), WATCH_MS);
    signal.addEventListener("abort", this.#stop, { once: true });
    if (signal.aborted) this.#stop();
  }

  get folder(): string {
    return this.#process.folder;
  }

  /** Whether another session may follow in the process. */
  get healthy(): boolean {
    return this.#healthy && !this.#signal.aborted && !this.#process.isGone;
  }

  async schemaOf(sql: string): Promise<Schema> {
    const { schema } = await this.request({ kind: "schema", sql });
    return schemaOfColumns(schema);
  }

  async textsOf(sql: string): Promise<readonly string[]> {
    return (await this.request({ kind: "texts", sql })).texts;
  }

  async chunksOf(request: ChunksRequest): Promise<readonly (FileChunks | null)[]> {
    const { files } = await this.request({ kind: "chunks", ...request });
    if (files.length !== request.files.length) {
      throw new SqlError("crashed", "The files of the query cannot be planned");
    }
    return files;
  }

  async checkPacked(path: string, hasLines: boolean): Promise<number> {
    return (await this.request({ kind: "packed", path, hasLines })).lastLine;
  }

  async checkJson(path: string): Promise<void> {
    await this.request({ kind: "json", path });
  }

  lookAtCsv(path: string, look: CsvLook): Promise<CsvFile> {
    return this.request({ kind: "csv", path, look });
  }

  /** @throws SqlError */
  async request<Kind extends Request["kind"]>(
    request: Extract<Request, { kind: Kind }>,
    onData: ((bytes: Buffer) => void) | null = null,
  ): Promise<Answers[Kind]> {
    try {
      return await this.#process.request<Kind>(request, onData);
    } catch (error) {
      if (error instanceof StatementFailure && error.retire) this.#healthy = false;
      throw error instanceof ProcessGoneError ? this.#deathOf(error) : error;
    }
  }

  /** The query is over; the process is somebody else's. */
  end(): void {
    clearInterval(this.#watch);
    if (this.#grace !== null) clearTimeout(this.#grace);
    this.#signal.removeEventListener("abort", this.#stop);
    if (!this.healthy) this.#process.kill();
  }

  readonly #stop = (): void => {
    this.#process.interrupt();
    this.#grace = setTimeout(() => this.#process.kill(), this.#limits.graceMs);
  };

  async #look(): Promise<void> {
    const { pid } = this.#process;
    const resident = pid === undefined ? null : await residentBytes(pid);
    if (resident === null || resident <= this.#limits.residentBytes) return;
    this.#tooLarge = new SqlError("resources", "The query needs more memory than it may use");
    this.#process.kill();
  }

  /** While the work runs, ends the query where the file that it writes has become too large. */
  async watchingFile<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    // Afterwards the process may be another query's.
    let isWorking = true;
    const end = (reason: SqlError | null): void => {
      if (reason === null || !isWorking) return;
      this.#tooLarge = reason;
      this.#process.kill();
    };
    const watch = setInterval(() => {
      excessOf(path, this.#limits.fileBytes).then(end, (cause: unknown) =>
        end(new SqlError("crashed", "The file of the result cannot be looked at", { cause })),
      );
    }, FILE_WATCH_MS);
    try {
      const result = await work();
      // It may have ended between two looks.
      const excess = await excessOf(path, this.#limits.fileBytes);
      if (excess !== null) throw excess;
      return result;
    } finally {
      isWorking = false;
      clearInterval(watch);
    }
  }

  #deathOf(cause: ProcessGoneError): SqlError {
    this.#healthy = false;
    return this.#tooLarge ?? new SqlError("crashed", "The query's process died of it", { cause });
  }
}
