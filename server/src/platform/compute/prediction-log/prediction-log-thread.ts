/** Writes, reads and scores prediction logs in a thread of its own, so that no prediction waits for it. */

import {
  type AnswerScores,
  type AnswersToScore,
  ComputePool,
  reviveError,
} from "@distillery/engine";
import type { LabelledPrediction, LogToLabel } from "./labelled-rows.ts";
import type { LoggedRequest } from "./logged-request.ts";
import { type LogFile, writeLog } from "./write-log.ts";

export class PredictionLogThread {
  /** Begun by the first task. */
  readonly #pool: ComputePool;

  /** @param niceness see the engine's `PoolOptions` */
  constructor(niceness: number) {
    const module = new URL("./log-tasks.ts", import.meta.url);
    this.#pool = new ComputePool(module, 1, reviveError, { niceness });
  }

  write(requests: readonly LoggedRequest[]): Promise<LogFile> {
    return this.#pool.run("writeLog", requests);
  }

  /** As `write`, by the caller itself: of a process that ends, whose time would not do to begin a thread. */
  writeHere(requests: readonly LoggedRequest[]): LogFile {
    return writeLog(requests);
  }

  /** Those of a file whose label is known; the file is given away. */
  labelled(input: LogToLabel): Promise<LabelledPrediction[]> {
    return this.#pool.run("labelledRows", input, { given: [input.file] });
  }

  /** @throws RangeError where an answer is none of the task */
  score(input: AnswersToScore): Promise<AnswerScores> {
    return this.#pool.run("scoreAnswers", input);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
