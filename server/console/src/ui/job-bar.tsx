/** How far a job is that counts what it has done: a bar, its phase in words, and the time left. */

import type { ReactNode } from "react";
import { span } from "./numbers.ts";

export interface JobBarProps {
  readonly status: string;
  readonly done: number;
  /** 0 of what is not counted. */
  readonly total: number;
  /** Seconds; null: unknown. */
  readonly estimate: number | null;
  /** Of a job that runs. */
  readonly children: ReactNode;
}

export function JobBar({ status, done, total, estimate, children }: JobBarProps) {
  const isRunning = status === "running";
  return (
    <div className="job-progress">
      <progress
        aria-label="Progress"
        {...(isRunning && total > 0 ? { value: done, max: total } : {})}
      />
      <p role="status">
        {status === "pending" ? "Waiting for a worker" : children}
        {isRunning && estimate !== null && `, about ${span(estimate)} left`}
      </p>
    </div>
  );
}
