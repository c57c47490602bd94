/**
 * The error catalogue: every failure that a caller can be answered with, in one place.
 * A `Problem` becomes RFC 9457 `application/problem+json`; an `UnprocessableError` becomes the
 * 422 body of the interface. Both are tRPC errors, so the same throw serves `/trpc` and `/v1`.
 */
import { type TRPC_ERROR_CODE_KEY, TRPCError } from "@trpc/server";

interface ProblemClass {
  readonly status: number;
  readonly title: string;
  readonly code: TRPC_ERROR_CODE_KEY;
}

export const PROBLEMS = {
  "bad-request": { status: 400, title: "Bad request", code: "BAD_REQUEST" },
  unauthenticated: { status: 401, title: "Unauthenticated", code: "UNAUTHORIZED" },
  forbidden: { status: 403, title: "Forbidden", code: "FORBIDDEN" },
  "not-found": { status: 404, title: "Not found", code: "NOT_FOUND" },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    code: "METHOD_NOT_SUPPORTED",
  },
  "not-acceptable": { status: 406, title: "Not acceptable", code: "BAD_REQUEST" },
  "request-timeout": { status: 408, title: "Request timeout", code: "TIMEOUT" },
  conflict: { status: 409, title: "Conflict", code: "CONFLICT" },
  "precondition-failed": {
    status: 412,
    title: "Precondition failed",
    code: "PRECONDITION_FAILED",
  },
  "payload-too-large": { status: 413, title: "Payload too large", code: "PAYLOAD_TOO_LARGE" },
  "uri-too-long": { status: 414, title: "URI too long", code: "BAD_REQUEST" },
  "unsupported-media-type": {
    status: 415,
    title: "Unsupported media type",
    code: "UNSUPPORTED_MEDIA_TYPE",
  },
  "range-not-satisfiable": {
    status: 416,
    title: "Range not satisfiable",
    code: "BAD_REQUEST",
  },
  "too-many-requests": { status: 429, title: "Too many requests", code: "TOO_MANY_REQUESTS" },
  "headers-too-large": {
    status: 431,
    title: "Request header fields too large",
    code: "BAD_REQUEST",
  },
  internal: { status: 500, title: "Internal error", code: "INTERNAL_SERVER_ERROR" },
  "bad-gateway": { status: 502, title: "Bad gateway", code: "BAD_GATEWAY" },
  unavailable: { status: 503, title: "Service unavailable", code: "SERVICE_UNAVAILABLE" },
  "gateway-timeout": { status: 504, title: "Gateway timeout", code: "GATEWAY_TIMEOUT" },
  "insufficient-storage": {
    status: 507,
    title: "Insufficient storage",
    code: "SERVICE_UNAVAILABLE",
  },
} as const satisfies Record<string, ProblemClass>;

export type ProblemKind = keyof typeof PROBLEMS;

/** The URI of a problem class, the `type` member of its bodies. */
export const problemType = (kind: ProblemKind): string => `urn:distillery:problem:${kind}`;

export interface ProblemOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** In the text that the caller sent, from 1: an extension member of the body (RFC 9457 §3.2). */
  readonly position?: TextPosition | null;
  readonly cause?: unknown;
}

export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A failure that the caller is told about: `detail` is one sentence written for them. */
export class Problem extends TRPCError {
  override readonly name = "Problem";
  readonly kind: ProblemKind;
  readonly headers: Readonly<Record<string, string>>;
  readonly position: TextPosition | null;

  constructor(kind: ProblemKind, detail: string, options: ProblemOptions = {}) {
    super({ code: PROBLEMS[kind].code, message: detail, cause: options.cause });
    this.kind = kind;
    this.headers = options.headers ?? {};
    this.position = options.position ?? null;
  }

  get status(): number {
    return PROBLEMS[this.kind].status;
  }
}

/**
 * What is missing and what belongs to another organization are answered alike.
 *
 * @param near what the caller's own organization has near it, as a clause; null = nothing
 */
export const notFound = (resource: string, near: string | null = null): Problem =>
  new Problem("not-found", `There is no such ${resource}${near === null ? "" : `: ${near}`}.`);

export const conflict = (detail: string): Problem => new Problem("conflict", detail);

export const preconditionFailed = (detail: string): Problem =>
  new Problem("precondition-failed", detail);

export const payloadTooLarge = (limit: number): Problem =>
  new Problem("payload-too-large", `The request body is larger than the limit of ${limit} bytes.`);

export const tooManyRequests = (seconds: number): Problem =>
  new Problem("too-many-requests", `Too many requests; try again in ${seconds} s.`, {
    headers: { "retry-after": String(seconds) },
  });

/** No credentials: RFC 6750 §3 asks for the bare challenge then. */
export const unauthenticated = (): Problem =>
  new Problem("unauthenticated", "Send an API key or an access token: Authorization: Bearer ….", {
    headers: { "www-authenticate": 'Bearer realm="distillery"' },
  });

/** No session of the console, where only that would do. */
export const notSignedIn = (): Problem =>
  new Problem(
    "unauthenticated",
    "Nobody is signed in here: the session has ended, or never began.",
    {
      headers: { "www-authenticate": 'Bearer realm="distillery"' },
    },
  );

/** Credentials that are malformed, unknown, expired or revoked; which of them is not said. */
export const invalidToken = (cause?: unknown): Problem =>
  new Problem("unauthenticated", "The bearer token is not valid.", {
    headers: { "www-authenticate": 'Bearer realm="distillery", error="invalid_token"' },
    cause,
  });

export const insufficientScope = (scope: string): Problem =>
  new Problem("forbidden", `This needs the scope ${scope}.`, {
    headers: {
      "www-authenticate": `Bearer realm="distillery", error="insufficient_scope", scope="${scope}"`,
    },
  });

/** One entry of the 422 body. `loc` starts with body, query, path or header. */
export interface ValidationErrorItem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The request is well formed but cannot be processed: 422 `{detail: [...]}`. */
export class UnprocessableError extends TRPCError {
  override readonly name = "UnprocessableError";
  readonly detail: readonly ValidationErrorItem[];

  constructor(faults: readonly ValidationErrorItem[], options: { cause?: unknown } = {}) {
    const detail = faults.map(shortened);
    const text = detail.map((item) => `${item.loc.join(".")}: ${item.msg}`).join("; ");
    super({ code: "UNPROCESSABLE_CONTENT", message: text, cause: options.cause });
    this.detail = detail;
  }
}

/** Of a text that an answer repeats: a name or a value may be as long as a whole request. */
const LONGEST_TEXT = 256;
const LONGEST_MESSAGE = 4096;

/** A name of a request, for the place of a fault: whole, or its beginning. */
export const shownName = (name: string): string => shown(name, LONGEST_TEXT);

function shortened(fault: ValidationErrorItem): ValidationErrorItem {
  const { loc, msg, ctx, input } = fault;
  return {
    ...fault,
    loc: loc.map((step) => (typeof step === "string" ? shownName(step) : step)),
    msg: shown(msg, LONGEST_MESSAGE),
    ...(typeof input === "string" && { input: shownName(input) }),
    ...(ctx !== undefined && {
      ctx: Object.fromEntries(
        Object.entries(ctx).map(([name, value]) => [
          name,
          typeof value === "string" ? shown(value, LONGEST_MESSAGE) : value,
        ]),
      ),
    }),
  };
}

const shown = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest).toWellFormed()}…`;

/**
 * A single fault found after validation, e.g.
 * `throw unprocessable(["body", "metrics", 0], "unknown metric 'rsme'; known are …")`.
 * Pydantic's name for such a fault is `value_error`.
 */
export const unprocessable = (
  loc: readonly (string | number)[],
  msg: string,
  more: { type?: string; input?: unknown; ctx?: Readonly<Record<string, unknown>> } = {},
): UnprocessableError => {
  const type = more.type ?? "value_error";
  return new UnprocessableError([
    {
      loc,
      msg: type === "value_error" ? `Value error, ${msg}` : msg,
      type,
      ...("input" in more ? { input: more.input } : {}),
      ...(more.ctx === undefined ? {} : { ctx: more.ctx }),
    },
  ]);
};
