/** What a running document job has at hand beside what every job has. */

import { mkdir, rm } from "node:fs/promises";
import type { JobScene } from "../../jobs/kind.ts";
import { localFolder } from "../parse-document.ts";
import type { DocumentJobRow } from "./job.ts";
import { type JobProgress, PhaseProgress } from "./progress.ts";

export interface DocumentScene extends Pick<JobScene<never>, "services" | "signal"> {
  readonly progress: PhaseProgress;
  /** Of this attempt's own, removed at its end. */
  readonly folder: string;
}

export async function withScene<Result>(
  scene: JobScene<JobProgress | null>,
  job: DocumentJobRow,
  run: (scene: DocumentScene) => Promise<Result>,
): Promise<Result> {
  const { services, task, signal } = scene;
  const folder = localFolder(services, `job-${task.id}-${task.attempt}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await run({ services, signal, progress: new PhaseProgress(scene, job), folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
