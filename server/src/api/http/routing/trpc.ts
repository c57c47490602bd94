/** The tRPC base: the builders that every resource's router starts from. */
import { initTRPC } from "@trpc/server";
import type { AuthedContext, Context } from "../../context/context.ts";
import type { Need } from "../../context/scopes.ts";
import { assertScope } from "../../context/scopes.ts";
import { describeFailure } from "../bodies/answer.ts";
import type { Meta } from "./operation.ts";

const t = initTRPC
  .context<Context>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error, input }) {
      const { status, body } = describeFailure(error, { input });
      return {
        ...shape,
        message:
          typeof body.detail === "string"
            ? body.detail
            : body.detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "),
        data: { code: shape.data.code, path: shape.data.path, httpStatus: status, problem: body },
      };
    },
  });

export const router = t.router;
/** @internal */
export const mergeRouters = t.mergeRouters;

/** No authentication. @internal */
export const publicProcedure = t.procedure;

/** The middlewares that `authed` makes; `/v1` has checked the scope before it calls a procedure. */
const scopeChecks = new WeakSet<object>();

export const isScopeCheck = (middleware: object): boolean => scopeChecks.has(middleware);

/** Asks for a valid token whose scopes include `scope` (`any` = whatever they are). */
export const authed = (scope: Need) => {
  const procedure = t.procedure.meta({ scope }).use(({ ctx, next }) => {
    const auth = assertScope(ctx, scope);
    const authedContext: AuthedContext = { ...ctx, auth, authFailure: null };
    return next({ ctx: authedContext });
  });
  for (const middleware of procedure._def.middlewares) scopeChecks.add(middleware);
  return procedure;
};
