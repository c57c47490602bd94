/** tRPC's own HTTP adapter under `/trpc`, with the same authentication and the same errors. */

import type { AnyRouter } from "@trpc/server";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  checkJson,
  JSON_DEPTH_LIMIT,
  JSON_NAME_LIMIT,
  JSON_VALUES_LIMIT,
  strictText,
} from "../../../platform/input/json.ts";
import { findExcess } from "../../../platform/input/json-fault.ts";
import { Problem, unprocessable } from "../../../platform/input/problem.ts";
import type { AuditedCaller } from "../../context/audited-change.ts";
import type { Context } from "../../context/context.ts";
import { describeFailure } from "../bodies/answer.ts";
import { callerOf, changesOf, isAudited } from "./audited.ts";
import { contextOf, factsOf, type HttpDependencies } from "./call.ts";
import type { Route } from "./routes.ts";
import { noteInput } from "./trpc.ts";

/** Calls in one batch. */
const BATCH_LIMIT = 50;
/** tRPC parses on the loop; what is larger goes to `/v1`, where threads parse. */
const BODY_LIMIT = 4 * 1024 * 1024;

interface TrpcOptions extends HttpDependencies {
  readonly router: AnyRouter;
  /** What of the router `/v1` has too. */
  readonly routes: readonly Route[];
}

export async function mountTrpc(app: FastifyInstance, options: TrpcOptions): Promise<void> {
  const routes = new Map(
    options.routes.flatMap((route) =>
      route.kind === "procedure" ? [[route.procedure, route] as const] : [],
    ),
  );
  for (const { meta, flat } of routes.values()) noteInput(meta, flat);
  const createContext = async (scene: {
    req: FastifyRequest;
    res: FastifyReply;
  }): Promise<Context> => {
    const facts = factsOf(scene.req, scene.res, options);
    const authentication = await options.authenticate(facts);
    let by: AuditedCaller | null =
      authentication.principal === null ? null : callerOf(authentication.principal);
    const context = contextOf(
      options.services,
      authentication,
      facts,
      (name, value) => void scene.res.header(name, value),
      (caller) => (by = caller),
    );
    const { auditChange, translateError } = options;
    if (auditChange === undefined) return context;
    return {
      ...context,
      async whenCalled({ path, input, answer, error, resourceId: about }) {
        const route = routes.get(path);
        if (route === undefined || !isAudited(route)) return;
        const status =
          error === null
            ? (route.meta.successStatus ?? 200)
            : describeFailure(error, {}, translateError).status;
        const names = typeof input === "object" && input !== null ? { ...input } : {};
        const { id: requestId, ip: address } = facts;
        const asked = { isReplay: false, requestId, address, by };
        const changes = changesOf(route, { names, about, status, answer, ...asked });
        await Promise.all(changes.map(auditChange));
      },
    };
  };
  await app.register(async (scope) => {
    // tRPC's plugin replaces parsers; in this scope only, and under limits of its own.
    scope.addHook("onRoute", (route) => {
      route.bodyLimit = BODY_LIMIT;
    });
    scope.addHook("preHandler", async ({ query }) => {
      for (const input of inputsOf(query)) checkInput(input);
    });
    const plugin: FastifyTRPCPluginOptions<AnyRouter> = {
      prefix: "/trpc",
      trpcOptions: {
        router: options.router,
        createContext,
        maxBatchSize: BATCH_LIMIT,
        onError({ error, req, path }) {
          const { unexpected } = describeFailure(error, {}, options.translateError);
          if (unexpected !== undefined) {
            options.onUnexpected(unexpected, { id: req.id, operation: `trpc ${path ?? ""}` });
          }
        },
      },
    };
    await scope.register(
      async (inner) => {
        fastifyTRPCPlugin(inner, plugin, (error) => {
          if (error !== undefined) throw error;
        });
        // Procedures take JSON alone, in the bytes that it is said to have.
        inner.removeAllContentTypeParsers();
        inner.addContentTypeParser<Buffer>(
          "application/json",
          { parseAs: "buffer" },
          async ({ headers }: FastifyRequest, body: Buffer) => {
            if (!isPlain(headers["content-encoding"])) {
              throw new Problem(
                "unsupported-media-type",
                "A body under /trpc has no Content-Encoding.",
              );
            }
            const text = strictText(body);
            if (text !== "") checkInput(text);
            return text;
          },
        );
      },
      { prefix: plugin.prefix ?? "" },
    );
  });
}

const isPlain = (encoding = "identity"): boolean => encoding.trim().toLowerCase() === "identity";

/** What a query has in its address, of which tRPC takes the first. */
function inputsOf(query: unknown): readonly string[] {
  const input: unknown = typeof query === "object" && query !== null && Reflect.get(query, "input");
  if (Array.isArray(input)) throw unprocessable(["query", "input"], "may be given but once");
  return typeof input === "string" && input !== "" ? [input] : [];
}

const LIMITS = { depth: JSON_DEPTH_LIMIT, values: JSON_VALUES_LIMIT, name: JSON_NAME_LIMIT };

/** tRPC parses it again. @throws UnprocessableError as for a body under `/v1` */
function checkInput(text: string): void {
  if (findExcess(text, LIMITS) === null) {
    checkJson(text);
    return;
  }
  throw unprocessable(
    ["body"],
    `a body under /trpc holds at most ${JSON_VALUES_LIMIT} values in ${JSON_DEPTH_LIMIT} levels, with names of at most ${JSON_NAME_LIMIT} characters; more rows are sent to the operation under /v1`,
    {
      ctx: {
        max_values: JSON_VALUES_LIMIT,
        max_depth: JSON_DEPTH_LIMIT,
        max_length: JSON_NAME_LIMIT,
      },
    },
  );
}
