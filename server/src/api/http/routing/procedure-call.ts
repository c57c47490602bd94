/**
 * Calls a procedure for `/v1`. tRPC carries each call through its chain of middlewares and copies
 * its options at every link, which costs as much as the rest of the adapter; a procedure whose chain
 * is the scope check, the input, the output and itself is called without it, with the same results
 * and errors. One with middlewares of its own goes through tRPC.
 */
import { type AnyRouter, callTRPCProcedure, TRPCError } from "@trpc/server";
import { z } from "zod";
import type { Context } from "../../context/context.ts";
import type { DividedInput } from "./input-parts.ts";
import { isOwnMiddleware } from "./trpc.ts";

/**
 * Takes a request in its parts and validates them, so that faults name parts.
 *
 * @throws TRPCError, with what the procedure threw as its cause, or what it threw
 */
export type ProcedureCall = (context: Context, parts: unknown) => Promise<unknown>;

export interface CalledProcedure {
  readonly router: AnyRouter;
  readonly path: string;
  readonly type: "query" | "mutation";
  /** Of the parts. */
  readonly input: z.ZodType;
  readonly join: DividedInput["join"];
  readonly output: z.ZodType;
}

export function procedureCall({
  router,
  path,
  type,
  input,
  join,
  output,
}: CalledProcedure): ProcedureCall {
  const resolve = plainResolver(router._def.procedures[path]);
  const read = async (parts: unknown): Promise<Parts> => {
    const parsed = await parse(input, parts);
    if (parsed.success) return parsed.data as Parts;
    throw new TRPCError({ code: "BAD_REQUEST", cause: parsed.error });
  };
  if (resolve === null) {
    return async (ctx, parts) => {
      await read(parts);
      return await callTRPCProcedure({
        router,
        path,
        // As it was sent: tRPC reads it by the procedure's own schema.
        getRawInput: async () => join(parts as Parts),
        ctx,
        type,
        // Whoever wants it asks the request's facts: making one for each call is dear.
        signal: undefined,
        batchIndex: 0,
      });
    };
  }
  return async (ctx, parts) => {
    const flat = join(await read(parts));
    const data = await resolve({ ctx, input: flat, path, type, signal: undefined });
    const answer = await parse(output, data);
    if (answer.success) return answer.data;
    const code = "INTERNAL_SERVER_ERROR";
    throw new TRPCError({ code, message: "Output validation failed", cause: answer.error });
  };
}

type Parts = Parameters<DividedInput["join"]>[0];

function parse(schema: z.ZodType, value: unknown) {
  try {
    return schema.safeParse(value);
  } catch (error) {
    if (error instanceof z.core.$ZodAsyncError) return schema.safeParseAsync(value);
    throw error;
  }
}

type Resolver = (options: {
  readonly ctx: Context;
  readonly input: unknown;
  readonly path: string;
  readonly type: string;
  readonly signal: undefined;
}) => unknown;

interface Definition {
  readonly middlewares?: readonly unknown[];
  readonly resolver?: unknown;
}

/** The procedure's own function, if nothing but what is known here stands before it. */
function plainResolver(procedure: unknown): Resolver | null {
  const { middlewares = [], resolver } = (procedure as { _def: Definition })._def;
  if (typeof resolver !== "function") return null;
  const before = middlewares.slice(0, -1);
  const isPlain = before.every(
    (middleware) =>
      typeof middleware === "function" &&
      (isOwnMiddleware(middleware) ||
        ("_type" in middleware && ["input", "output"].includes(String(middleware._type)))),
  );
  return isPlain ? (resolver as Resolver) : null;
}
