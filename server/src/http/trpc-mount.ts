/** tRPC's own HTTP adapter under `/trpc`, with the same authentication and the same errors. */

import type { AnyRouter } from "@trpc/server";
import { type FastifyTRPCPluginOptions, fastifyTRPCPlugin } from "@trpc/server/adapters/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { describeFailure } from "./answer.ts";
import { contextOf, factsOf, type HttpDependencies } from "./call.ts";
import { clientAddress } from "./client-address.ts";
import type { Context } from "./context.ts";
import { JSON_LIMIT } from "./operation.ts";

/** Calls in one batch. */
const BATCH_LIMIT = 50;

interface TrpcOptions extends HttpDependencies {
  readonly router: AnyRouter;
}

export async function mountTrpc(app: FastifyInstance, options: TrpcOptions): Promise<void> {
  const createContext = async (scene: {
    req: FastifyRequest;
    res: FastifyReply;
  }): Promise<Context> => {
    const authentication = await options.authenticate(
      scene.req.headers.authorization,
      clientAddress(scene.req),
    );
    const facts = factsOf(scene.req, scene.res, null, options.publicUrl);
    return contextOf(options.platform, authentication, facts, "trpc", (name, value) => {
      scene.res.header(name, value);
    });
  };
  await app.register(async (scope) => {
    // tRPC's plugin replaces parsers; in this scope only, and under the JSON limit.
    scope.addHook("onRoute", (route) => {
      route.bodyLimit = JSON_LIMIT;
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
    await scope.register(fastifyTRPCPlugin, plugin);
  });
}
