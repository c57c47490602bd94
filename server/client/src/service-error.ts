/** What a service refused, or why it could not be asked. */

import { TRPCClientError } from "@trpc/client";
import type { AnyRouter } from "@trpc/server";

/** What is wrong with one member of a request. */
export interface Fault {
  /** Its place, such as `["metrics", 1]`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** Such as `missing` or `greater_than_equal`. */
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The body of a refusal: faults in the request's members (422), or one problem (RFC 9457). */
export interface ProblemBody {
  readonly detail: string | readonly Fault[];
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
}

/** A request that was refused, or that got no answer. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  /** HTTP's; null where there was no answer. */
  readonly status: number | null;
  /** The answer's body, where it was one. */
  readonly problem: ProblemBody | null;
  /** Milliseconds after which the service asks to be asked again (`Retry-After`), where it does. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    status: number | null,
    problem: ProblemBody | null,
    { cause, retryAfterMs = null }: { cause?: unknown; retryAfterMs?: number | null } = {},
  ) {
    super(message, cause === undefined ? {} : { cause });
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** What is wrong with members of the request; empty where something else is. */
  get faults(): readonly Fault[] {
    const detail = this.problem?.detail;
    return typeof detail === "object" ? detail : [];
  }

  /** Whether the same request may succeed later: no answer, too many requests, or a service that is not up. */
  get isPassing(): boolean {
    return this.status === null || this.status === 429 || this.status >= 502;
  }
}

/** Of an answer that is no success; its body is read. */
export async function refusalOf(response: Response): Promise<ServiceError> {
  const problem = problemOf(await response.json().catch(() => null));
  return new ServiceError(messageOf(problem, response.status), response.status, problem, {
    retryAfterMs: retryAfterOf(response),
  });
}

/** Of seconds or a date (RFC 9110, §10.2.3). */
function retryAfterOf({ headers }: Response): number | null {
  const said = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+$/.test(said)) return Number(said) * 1000;
  const date = Date.parse(said);
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

/**
 * The JSON of an answer.
 *
 * @throws {ServiceError} where it is none
 */
export async function jsonOf<Answer>(
  response: Response,
  signal: AbortSignal | null | undefined,
): Promise<Answer> {
  try {
    return await response.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw failureOf(error, signal);
    const message = `What answered ${response.status} at ${response.url} is no service of this kind: its answer is no JSON.`;
    throw new ServiceError(message, response.status, null, { cause: error });
  }
}

/** Of what asking threw. An aborted request stays what its signal says. */
export function failureOf(error: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof ServiceError) return error;
  if (error instanceof TRPCClientError) return failureOfCall(error);
  const reason = error instanceof Error ? reasonOf(error) : String(error);
  return new ServiceError(`The service could not be reached: ${reason}`, null, null, {
    cause: error,
  });
}

function failureOfCall(error: TRPCClientError<AnyRouter>): ServiceError {
  const { data, meta, cause } = error;
  const answer = meta?.response instanceof Response ? meta.response : null;
  const why = { cause: error, retryAfterMs: answer && retryAfterOf(answer) };
  if (typeof data?.httpStatus === "number") {
    const problem = problemOf(data.problem);
    return new ServiceError(messageOf(problem, data.httpStatus), data.httpStatus, problem, why);
  }
  if (answer !== null && !answer.ok) {
    // Services print their address with `/v1`.
    const hint = /\/v1\/trpc\//.test(answer.url) ? " Give the client's `url` without /v1." : "";
    // Refused before any procedure was called, such as a body that is too large.
    const problem = problemOf(meta?.["responseJSON"]);
    if (problem !== null && hint === "") {
      return new ServiceError(messageOf(problem, answer.status), answer.status, problem, why);
    }
    const message = `What answered ${answer.status} at ${answer.url} is no service of this kind.${hint}`;
    return new ServiceError(message, answer.status, null, why);
  }
  const message = `The service could not be reached: ${reasonOf(cause ?? error)}`;
  return new ServiceError(message, null, null, { cause: error });
}

/** `fetch failed` says nothing; what is behind it does. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? `${message} (${cause.message || String(cause)})` : message;
}

function problemOf(body: unknown): ProblemBody | null {
  if (typeof body !== "object" || body === null || !("detail" in body)) return null;
  const { detail } = body;
  return typeof detail === "string" || Array.isArray(detail) ? { ...body, detail } : null;
}

function messageOf(problem: ProblemBody | null, status: number): string {
  if (problem === null) return `The service answered ${status}.`;
  const { detail } = problem;
  if (typeof detail === "string") return detail;
  return detail
    .map(({ loc, msg }) => (loc.length > 0 ? `${loc.join(".")}: ${msg}` : msg))
    .join("; ");
}
