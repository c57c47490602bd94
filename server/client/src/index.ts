/** `@distillery/client`: a running service's procedures as typed calls, and what takes several of them. */

export { type Client, type ClientOptions, createClient } from "./client.ts";
export type { JobEnd, JobEvent, JobProgress } from "./job-events.ts";
export type { Inputs, Outputs } from "./procedures.ts";
export type { SendOptions, UploadProgress } from "./send.ts";
export { type Fault, type ProblemBody, ServiceError } from "./service-error.ts";
export type { Asking } from "./transport.ts";
export type { Dataset, UploadData, UploadOptions } from "./upload.ts";
export { JobFailedError, type JobResult, type WaitOptions } from "./wait-for-job.ts";
