/** A process of the HTTP room alone whose operations throw where nothing catches; tests start it. */
import process from "node:process";
import { PassThrough } from "node:stream";
import type { RawRoute } from "../api/http/routing/raw-route.ts";
import { rawRoute } from "../api/http/routing/raw-route.ts";
import { router } from "../api/http/routing/trpc.ts";
import { type CommandRun, runCommand } from "../lifecycle.ts";
import { createLogger } from "../platform/log.ts";
import { createTestHttp } from "./http-service.ts";

const never = (): Promise<never> => new Promise(() => undefined);

const faulty = (name: string, fail: (body: () => PassThrough) => void): RawRoute =>
  rawRoute({
    operation: {
      method: "POST",
      path: `/v1/${name}`,
      summary: name,
      tags: ["Test"],
      operationId: name,
    },
    scope: null,
    request: { content: { "text/plain": { schema: { type: "string" } } } },
    responses: { 200: { description: "Never" } },
    handler({ body }) {
      fail(() => body().pipe(new PassThrough()));
      return never();
    },
  });

const ROUTES: readonly RawRoute[] = [
  faulty("timer", () => {
    setTimeout(() => {
      throw new Error("of a timer");
    }, 1);
  }),
  faulty("rejection", () => {
    void Promise.resolve().then(() => {
      throw new Error("of a promise");
    });
  }),
  faulty("listener", (body) => {
    body().on("data", () => {
      throw new Error("of a listener");
    });
  }),
  faulty("emitter", (body) => {
    const stream = body();
    stream.once("data", () => stream.destroy(new Error("of an emitter without a listener")));
  }),
];

await runCommand((): CommandRun => {
  const log = createLogger();
  return {
    log,
    async open() {
      const { app } = await createTestHttp(router({}), ROUTES);
      await app.listen({ host: "127.0.0.1", port: 0 });
      const address = app.server.address();
      process.stdout.write(
        `port ${typeof address === "object" && address !== null ? address.port : ""}\n`,
      );
      process.on("SIGUSR2", () => {
        throw new Error("of nobody");
      });
      return { close: () => app.close() };
    },
  };
});
