import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { createTestHttp } from "../../testing/http-service.ts";
import { rawRoute } from "./routing/raw-route.ts";
import { router } from "./routing/trpc.ts";

/** Every write to it fails as on a full disk (Linux). */
const FULL = "/dev/full";

it.runIf(existsSync(FULL))("a full disk is a 507, whatever wraps it, and is logged", async () => {
  const routes = [false, true].map((isWrapped) =>
    rawRoute({
      operation: {
        method: "POST",
        path: `/v1/write/${isWrapped}`,
        summary: "Write",
        tags: ["Test"],
        operationId: `write_${isWrapped}`,
      },
      scope: null,
      responses: { 200: { description: "Never" } },
      async handler() {
        try {
          await writeFile(FULL, "x");
        } catch (cause) {
          throw isWrapped ? new Error("it could not be written", { cause }) : cause;
        }
        return { json: {} };
      },
    }),
  );
  const { app, unexpected } = await createTestHttp(router({}), routes);
  for (const isWrapped of [false, true]) {
    const answer = await app.inject({ method: "POST", url: `/v1/write/${isWrapped}` });
    expect(answer.statusCode).toBe(507);
    expect(answer.headers["content-type"]).toContain("application/problem+json");
    expect(answer.json()).toMatchObject({
      type: "urn:distillery:problem:insufficient-storage",
      status: 507,
    });
    expect(answer.body).not.toContain(FULL);
  }
  expect(unexpected).toHaveLength(2);
  await app.close();
});
