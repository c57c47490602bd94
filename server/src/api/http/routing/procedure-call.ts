/**
 * Calls a procedure for `/v1`. tRPC carries each call through its chain of middlewares and copies
 * its options at every link, which costs as much as the rest of the adapter; a procedure whose chain
 * is the scope check, the input, the output and itself is called without it, with the same results
 * and errors. One with middlewares of its own goes through tRPC.
 */
import { type AnyRouter, callTRPCProcedure, TRPCError } from "@trpc/server";
import { z } from "zod";
import type { Context } from "../../context/context.ts";
import { isScopeCheck } from "./trpc.ts";

/** @throws TRPCError, with what the procedure threw as its cause, or what it threw */
export type ProcedureCall = (context: Context, input: unknown) => Promise<unknown>;

export interface CalledProcedure {
  readonly router: AnyRouter;
  readonly path: string;
  readonly type: "query" | "mutation";
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

export function procedureCall({
  router,
  path,
  type,
  input,
  output,
}: CalledProcedure): ProcedureCall {
  const resolve = plainResolver(router._def.procedures[path]);
  if (resolve === null) {
    return async (ctx, raw) =>
      await callTRPCProcedure({
        router,
        path,
        getRawInput: async () => raw,
        ctx,
        type,
        // Whoever wants it asks the request's facts: making one for each call is dear.
        signal: undefined,
        batchIndex: 0,
      });
  }
  return async (ctx, raw) => {
    const parsed = await parse(input, raw);
    if (!parsed.success) throw new TRPCError({ code: "BAD_REQUEST", cause: parsed.error });
    const data = await resolve({ ctx, input: parsed.data, path, type, signal: undefined });
    const answer = await parse(output, data);
    if (answer.success) return answer.data;
    const code = "INTERNAL_SERVER_ERROR";
    throw new TRPCError({ code, message: "Output validation failed", cause: answer.error });
  };
}

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
      (isScopeCheck(middleware) ||
        ("_type" in middleware && ["input", "output"].includes(String(middleware._type)))),
  );
  return isPlain ? (resolver as Resolver) : null;
}
