/**
 * A query's process: a folder for each session, requests and their answers, and what its failures are
 * called.
 */

import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FramedProcess } from "../../../platform/processes/framed-process.ts";
import { SqlError } from "../query.ts";
import {
  type Answer,
  type Answers,
  answerSchema,
  type InstanceLimits,
  MAX_FRAME_BYTES,
  type Request,
  type ToChild,
} from "./messages.ts";

const MAIN = fileURLToPath(new URL("./child/main.ts", import.meta.url));

/** V8's heap in the process: for rows as text on their way out. */
const HEAP_MEGABYTES = 1024;

export class QueryProcess {
  readonly #process: FramedProcess<Answer>;
  readonly #root: string;
  readonly #limits: InstanceLimits;
  #sessions = 0;
  #folder: string;

  /** @param root a folder for this process alone, which exists */
  constructor(root: string, limits: InstanceLimits) {
    this.#root = root;
    this.#limits = limits;
    this.#folder = root;
    this.#process = new FramedProcess({
      main: MAIN,
      folder: root,
      heapMegabytes: HEAP_MEGABYTES,
      maxFrameBytes: MAX_FRAME_BYTES,
      read: (message) => answerSchema.parse(message),
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isGone(): boolean {
    return this.#process.isGone;
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
    const answer = await this.#process.ask(request, onData);
    if (answer.kind === "failed") {
      throw new StatementFailure(answer);
    }
    if (answer.kind !== ANSWER_KINDS[request.kind]) {
      throw this.#process.distrust("an answer of another kind");
    }
    // The kind says which of the answers it is.
    return answer as Answers[Kind];
  }

  /** Asks what runs to stop; whether it does is the caller's to watch. */
  interrupt(): void {
    const message: ToChild = { kind: "interrupt" };
    this.#process.tell(message);
  }

  kill(): void {
    this.#process.kill();
  }

  /** Ends it and removes what it left. */
  async close(): Promise<void> {
    this.kill();
    await this.#process.ended;
    await rm(this.#root, { recursive: true, force: true });
  }
}

const ANSWER_KINDS = {
  open: "opened",
  parse: "parsed",
  plan: "planned",
  schema: "schema",
  texts: "texts",
  packed: "packed",
  json: "json",
  csv: "csv",
  chunks: "chunks",
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
