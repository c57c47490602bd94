/**
 * The REST side of a procedure: what its `meta` says about `/v1`. It extends the `OpenApiMeta` of
 * `trpc-to-openapi`, so that this library's generator reads the router too.
 */
import type { z } from "zod";
import type { ProblemKind } from "../../../platform/input/problem.ts";

export type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface OperationMeta {
  readonly method: HttpMethod;
  /**
   * With `{name}` for one segment, and `{name+}` at the end for the rest of the path, slashes
   * included. The names are members of the input.
   */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  readonly tags: string[];
  /** In the document; the procedure's own path (`models_get`) where it is left out. */
  readonly operationId?: string;
  /** Default 200. */
  readonly successStatus?: number;
  readonly successDescription?: string;
  /** Response headers by name, texts, each with its description. */
  readonly responseHeaders?: z.ZodObject<Readonly<Record<string, z.ZodString>>>;
  /**
   * Of a GET with an `ETag` that stands for all that is answered (but for revision and times): 304 where
   * `If-None-Match` has it.
   */
  readonly revalidates?: boolean;
  /** What this operation adds to the problems that any operation can answer with. */
  readonly errors?: readonly ProblemKind[];
  /** A POST that creates something: `Idempotency-Key` is honoured. */
  readonly creates?: boolean;
  /** Largest JSON body, bytes; default `JSON_LIMIT`. */
  readonly bodyLimit?: number;
  /** Largest number of values in a JSON body; default `JSON_VALUES_LIMIT`. */
  readonly bodyValues?: number;
  /** Integers of the body beyond 2^53 are given as `ExactInteger`, not as the double beside them. */
  readonly exactIntegers?: boolean;
  readonly deprecated?: boolean;
  /** It takes the cookie of a session of the console, and no token. */
  readonly session?: boolean;
  /**
   * Whether it is told to the audit log; unless told, what needs a scope to write and is no GET is.
   */
  readonly audited?: boolean;
  /** What it changes, as the audit log says it; unless told, a segment of the path. */
  readonly resource?: string;
  /**
   * How failures are answered: as everywhere (`problem`), or as the Open Inference Protocol has them,
   * `{"error": "…"}`, with 400 for 422.
   */
  readonly failures?: "problem" | "error";
}

/**
 * Of a procedure, whose input is one flat object. Where a member travels: the `{names}` of the path
 * in the path; of the others, those of a GET or DELETE in the query, those of a POST, PUT or PATCH
 * in the body. What deviates is named here.
 */
export interface ProcedureMeta extends OperationMeta {
  /** False where it takes no authentication, as `publicProcedure` does. */
  readonly protect?: boolean;
  /** Members that travel in the query although there is a body. */
  readonly query?: readonly string[];
  /** Members that travel in headers: names of headers, in lower case, to names of members. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are checked and documented, and that the procedure does not want. */
  readonly requestHeaders?: z.ZodObject;
  /** The one member that is the body, and not a member of it: a resource, or what is no object. */
  readonly body?: string;
}

/** A type and not an interface, so that it is a record to those who take any meta. */
export type Meta = {
  readonly openapi?: ProcedureMeta;
  /** Set by `authed(scope)`; absent = no authentication. */
  readonly scope?: string;
};

/** Of a JSON body: room for the longest statement and for as many values as are taken. */
export const JSON_LIMIT = 4 * 1024 * 1024;

/** Of a JSON body that carries rows or documents, in place of `JSON_LIMIT`. */
export const LARGE_JSON_LIMIT = 32 * 1024 * 1024;

/** The four parts that a request may have; they are also the roots of `loc`. */
export const INPUT_PARTS = ["path", "query", "header", "body"] as const;
export type InputPart = (typeof INPUT_PARTS)[number];

export interface PathTemplate {
  /** As the router wants it: `/v1/models/:model_id/files/*`. */
  readonly pattern: string;
  /** As OpenAPI wants it: `/v1/models/{model_id}/files/{file_path}`. */
  readonly document: string;
  readonly names: readonly string[];
  /** The last name takes the rest of the path. */
  readonly trailing: boolean;
  /** Matches what the router matches, case-sensitively. */
  readonly expression: RegExp;
}

/** Reads `/v1/models/{model_id}/files/{file_path+}`. Throws on a malformed template. */
export function parsePathTemplate(path: string): PathTemplate {
  const names: string[] = [];
  let trailing = false;
  const segments = path
    .slice(1)
    .split("/")
    .map((segment, index, all) => {
      if (!/[{}]/.test(segment)) {
        return {
          pattern: segment.replaceAll(":", "::"),
          document: segment,
          expression: segment.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"),
        };
      }
      const match = /^\{([A-Za-z_][A-Za-z0-9_]*)(\+?)\}$/.exec(segment);
      if (match === null) throw new Error(`malformed path template ${path}`);
      const name = match[1]!;
      if (names.includes(name)) throw new Error(`${name} stands twice in ${path}`);
      names.push(name);
      if (match[2] === "+") {
        if (index !== all.length - 1) throw new Error(`{${name}+} must end the path ${path}`);
        trailing = true;
        return { pattern: "*", document: `{${name}}`, expression: ".+" };
      }
      return { pattern: `:${name}`, document: `{${name}}`, expression: "[^/]+" };
    });
  const join = (part: "pattern" | "document" | "expression") =>
    `/${segments.map((segment) => segment[part]).join("/")}`;
  return {
    pattern: join("pattern"),
    document: join("document"),
    names,
    trailing,
    expression: new RegExp(`^${join("expression")}$`),
  };
}
