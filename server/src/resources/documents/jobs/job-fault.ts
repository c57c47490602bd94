/** Faults of a document job's own: of its documents, or of its request. */

import { InductionLimitError } from "../../../reading/induction/runner/induction-runner.ts";

/** What a job fails with where another try would meet it again; one sentence for who asked for it. */
export class JobFault extends Error {
  override readonly name = "JobFault";
}

export function isOwnFault(error: unknown): error is Error {
  return error instanceof JobFault || error instanceof InductionLimitError;
}
