/** How a job stands, or what a job was to make: the service has no state of its own for those that were cancelled. */

/** What the service says of them. */
const CANCELLED = "The job was cancelled.";

export interface Ended {
  readonly status: string;
  /** Why it failed; empty where it did not. */
  readonly error_message: string;
}

export const isCancelled = ({ status, error_message }: Ended): boolean =>
  status === "failed" && error_message === CANCELLED;

/** In a word. */
export const stateOf = (job: Ended): string => (isCancelled(job) ? "cancelled" : job.status);
