/** Any thrown value as the answer that the caller gets. Nothing of a stack or a cause goes out. */
import { TRPCError } from "@trpc/server";
import { z } from "zod";
import { DISK_FULL, isDiskFull } from "../../../platform/files/disk-full.ts";
import {
  PROBLEMS,
  Problem,
  type ProblemKind,
  problemType,
  type TextPosition,
  UnprocessableError,
  type ValidationErrorItem,
} from "../../../platform/input/problem.ts";
import { validationErrors } from "../../../platform/input/validation-errors.ts";

export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** Where in a text that the caller sent, such as a statement. */
  readonly position?: TextPosition;
  /** Only with a 5xx, for whoever is asked about it; elsewhere the `X-Request-Id` header has it. */
  readonly request_id?: string;
}
export interface UnprocessableBody {
  readonly detail: readonly ValidationErrorItem[];
}

export interface Failure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: ProblemBody | UnprocessableBody;
  /** Set where the fault is ours: to be logged, never sent. */
  readonly unexpected?: unknown;
}

/** In whatever form its operation has. */
export type SentFailure = Omit<Failure, "body"> & { readonly body: object };

export interface FailureContext {
  /** What was validated, for the values in a 422. */
  readonly input?: unknown;
  readonly schema?: z.core.$ZodType | null;
  readonly requestId?: string;
}

export const PROBLEM_JSON = "application/problem+json";
export const JSON_TYPE = "application/json; charset=utf-8";

/** Errors of other rooms in the caller's terms; null = not known here. */
export type ErrorTranslator = (error: unknown) => Problem | UnprocessableError | null;

export function describeFailure(
  thrown: unknown,
  context: FailureContext = {},
  translate: ErrorTranslator = () => null,
): Failure {
  const error = unwrap(thrown, translate);
  if (error instanceof UnprocessableError) return unprocessableFailure(error.detail);
  if (error instanceof Problem) return problemFailure(error, context);
  if (error instanceof TRPCError && error.code !== "INTERNAL_SERVER_ERROR") {
    if (error.code === "BAD_REQUEST" && error.cause instanceof z.core.$ZodError) {
      const faults = validationErrors(error.cause, context.input, context.schema ?? null);
      return unprocessableFailure(new UnprocessableError(faults).detail);
    }
    const kind = KIND_OF_CODE.get(error.code);
    if (kind !== undefined) return problemFailure(new Problem(kind, error.message), context);
  }
  if (isDiskFull(error)) {
    const full = new Problem("insufficient-storage", DISK_FULL, { cause: error });
    return problemFailure(full, context);
  }
  const requestKind = kindOfRequestError(error);
  if (requestKind !== null) {
    return problemFailure(new Problem(requestKind.kind, requestKind.detail), context);
  }
  const internal = new Problem("internal", "The request failed because of a fault in the service.");
  return { ...problemFailure(internal, context), unexpected: thrown };
}

/** A failure as the Open Inference Protocol has it: what it calls a bad request is 400. */
export function asErrorText(failure: Failure): SentFailure {
  const { body, status } = failure;
  const error =
    typeof body.detail === "string"
      ? body.detail
      : body.detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ");
  return {
    ...failure,
    status: status === 422 ? 400 : status,
    contentType: JSON_TYPE,
    body: { error },
  };
}

/** tRPC wraps what a procedure throws; the first error known to us inside is the answer. */
function unwrap(thrown: unknown, translate: ErrorTranslator): unknown {
  if (thrown instanceof Problem || thrown instanceof UnprocessableError) return thrown;
  const translated = translate(thrown);
  if (translated !== null) return translated;
  if (thrown instanceof TRPCError && thrown.code === "INTERNAL_SERVER_ERROR") {
    return thrown.cause === undefined ? thrown : (translate(thrown.cause) ?? thrown);
  }
  return thrown;
}

const KIND_OF_CODE = new Map(
  Object.entries(PROBLEMS)
    .toReversed() // the first kind of a code wins
    .map(([kind, { code }]) => [code as string, kind as ProblemKind]),
);

const FASTIFY_KINDS: Readonly<Record<string, { kind: ProblemKind; detail: string }>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    kind: "unsupported-media-type",
    detail: "The Content-Type of the request is not one that this operation takes.",
  },
  FST_ERR_CTP_BODY_TOO_LARGE: { kind: "payload-too-large", detail: "The body is too large." },
  FST_ERR_BAD_URL: { kind: "bad-request", detail: "The path is not valid percent-encoding." },
};

function kindOfRequestError(error: unknown): { kind: ProblemKind; detail: string } | null {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") {
    return null;
  }
  if (error.code.startsWith("Z_") && "errno" in error) {
    return { kind: "bad-request", detail: "The body is not valid gzip." };
  }
  const known = FASTIFY_KINDS[error.code];
  if (known !== undefined) return known;
  return error.code.startsWith("FST_ERR_CTP_")
    ? { kind: "bad-request", detail: "The request's body could not be read." }
    : null;
}

const unprocessableFailure = (detail: readonly ValidationErrorItem[]): Failure => ({
  status: 422,
  headers: {},
  contentType: JSON_TYPE,
  body: { detail },
});

function problemFailure(problem: Problem, context: FailureContext): Failure {
  const { status, title } = PROBLEMS[problem.kind];
  return {
    status,
    headers: problem.headers,
    contentType: PROBLEM_JSON,
    body: {
      type: problemType(problem.kind),
      title,
      status,
      detail: problem.message,
      ...(problem.position === null ? {} : { position: problem.position }),
      ...(status >= 500 && context.requestId !== undefined
        ? { request_id: context.requestId }
        : {}),
    },
    ...(status >= 500 && problem.cause !== undefined ? { unexpected: problem.cause } : {}),
  };
}
