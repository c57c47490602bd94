/** A real `worker` as a child process on a home of its own. */

import { CommandProcess } from "./command.ts";
import { newHome } from "./server.ts";

export interface WorkerOptions {
  /** Default: a new folder, removed when the test's homes are. */
  readonly home?: string;
  readonly threads?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export class TestWorker {
  readonly process: CommandProcess;

  private constructor(process: CommandProcess) {
    this.process = process;
  }

  static async start(options: WorkerOptions = {}): Promise<TestWorker> {
    const home = options.home ?? (await newHome());
    const process = new CommandProcess(["worker", "--home", home], {
      DISTILLERY_WORKERS: String(options.threads ?? 1),
      ...options.env,
    });
    await process.says(/Distillery worker/);
    return new TestWorker(process);
  }

  /** Whether it has taken up the job, by its log. */
  hasTaken(jobId: string): boolean {
    return this.process.output
      .split("\n")
      .some((line) => line.includes("training begins") && line.includes(jobId));
  }
}
