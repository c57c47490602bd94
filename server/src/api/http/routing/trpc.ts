/** The tRPC base: the builders that every resource's router starts from. */
import { initTRPC, type TRPCError } from "@trpc/server";
import { z } from "zod";
import { UnprocessableError, type ValidationErrorItem } from "../../../platform/input/problem.ts";
import { bodyErrors } from "../../../platform/input/validation-errors.ts";
import type { AuthedContext, Context } from "../../context/context.ts";
import type { Need } from "../../context/scopes.ts";
import { assertScope } from "../../context/scopes.ts";
import { describeFailure } from "../bodies/answer.ts";
import { memberPlace } from "./input-parts.ts";
import type { Meta, OperationMeta } from "./operation.ts";

/** Which procedure failed, for the members that the failure's places name. */
const metaOfFailure = new WeakMap<TRPCError, Meta>();

/** Of each operation, the schema of its procedure's input. */
const inputs = new WeakMap<OperationMeta, z.ZodType>();

/** So that faults over `/trpc` name the members that come nearest, as those over `/v1` do. */
export const noteInput = (meta: OperationMeta, schema: z.ZodType): void => {
  inputs.set(meta, schema);
};

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error, input }) {
      const { status, body } = describeFailure(asOfMembers(error, input));
      return {
        ...shape,
        message:
          typeof body.detail === "string" ? body.detail : body.detail.map(sentence).join("; "),
        data: { code: shape.data.code, path: shape.data.path, httpStatus: status, problem: body },
      };
    },
  });

const sentence = ({ loc, msg }: ValidationErrorItem): string =>
  loc.length === 0 ? msg : `${loc.join(".")}: ${msg}`;

/** Faults over `/trpc` lie in the flat input; `/v1`, which names parts, does not come here. */
function asOfMembers(error: TRPCError, input: unknown): TRPCError {
  const invalid = error.code === "BAD_REQUEST" && error.cause instanceof z.core.$ZodError;
  // No member is a text that was to be parsed: the whole input is JSON, as a body is.
  const meta = metaOfFailure.get(error);
  const operation = meta?.openapi;
  const schema = (operation && inputs.get(operation)) ?? null;
  if (invalid) return placed(bodyErrors(error.cause, input, schema).map(withoutInput), undefined);
  if (!(error instanceof UnprocessableError)) return error;
  return placed(error.detail, meta);
}

/** What `/v1` takes in headers, and never repeats, is a member like any other here. */
function withoutInput({ loc, msg, type, ctx }: ValidationErrorItem): ValidationErrorItem {
  return { loc, msg, type, ...(ctx !== undefined && { ctx }) };
}

const placed = (faults: readonly ValidationErrorItem[], meta: Meta | undefined) =>
  new UnprocessableError(
    faults.map((fault) => ({ ...fault, loc: memberPlace(fault.loc, meta?.openapi) })),
  );

export const router = t.router;
/** @internal */
export const mergeRouters = t.mergeRouters;

/** The middlewares that are made here; none of them does what `/v1` has not done itself. */
const ownMiddlewares = new WeakSet<object>();

export const isOwnMiddleware = (middleware: object): boolean => ownMiddlewares.has(middleware);

/** No authentication. */
export const publicProcedure = t.procedure.use(async (call) => {
  const { ctx, meta, path } = call;
  // Of this call alone: a request may hold several.
  let resourceId: string | null = null;
  const isAbout = (id: string): void => {
    resourceId = id;
  };
  const result = await call.next(ctx.whenCalled === undefined ? {} : { ctx: { isAbout } });
  if (!result.ok && meta !== undefined) metaOfFailure.set(result.error, meta);
  await ctx.whenCalled?.({
    path,
    // An input that cannot be read is what the call failed by.
    input: await call.getRawInput().catch(() => undefined),
    resourceId,
    ...(result.ok ? { answer: result.data, error: null } : { answer: null, error: result.error }),
  });
  return result;
});
for (const middleware of publicProcedure._def.middlewares) ownMiddlewares.add(middleware);

/** Asks for a valid token whose scopes include `scope` (`any` = whatever they are). */
export const authed = (scope: Need) => {
  const procedure = publicProcedure.meta({ scope }).use(({ ctx, next }) => {
    const auth = assertScope(ctx, scope);
    const authedContext: AuthedContext = { ...ctx, auth, authFailure: null };
    return next({ ctx: authedContext });
  });
  for (const middleware of procedure._def.middlewares) ownMiddlewares.add(middleware);
  return procedure;
};
