import { expect, it, vi } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { ObjectStoreUnavailableError } from "../../platform/objects/object-store.ts";
import { createTestHttp } from "../../testing/http-service.ts";
import { attachment } from "./bodies/object-download.ts";
import { healthRoutes } from "./health.ts";
import { router } from "./routing/trpc.ts";

it("readiness names what does not answer, and is looked at once a second at most", async () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  const failures: string[] = [];
  let looks = 0;
  let broken = true;
  const routes = healthRoutes(
    {
      database: async () => {
        looks++;
      },
      object_store: async () => undefined,
      worker: async () => {
        if (broken) throw new Error("secret reason");
      },
      disk: async () => {
        if (broken) throw new Error("secret reason");
      },
    },
    (check) => failures.push(check),
  );
  const { app } = await createTestHttp(router({}), routes);
  const answers = await Promise.all([app.inject("/readyz"), app.inject("/readyz")]);
  for (const answer of answers) {
    expect(answer.statusCode).toBe(503);
    expect(answer.json().detail).toBe("Not ready; no answer from: worker; the disk is full.");
    expect(answer.body).not.toContain("secret");
  }
  expect([looks, failures]).toEqual([1, ["worker", "disk"]]);
  expect((await app.inject("/healthz")).json()).toEqual({
    status: "ok",
    version: manifest.version,
  });
  vi.advanceTimersByTime(1000);
  expect((await app.inject("/readyz")).statusCode).toBe(503);
  // A failure that goes on is told once.
  expect([looks, failures]).toEqual([2, ["worker", "disk"]]);
  broken = false;
  expect((await app.inject("/readyz")).statusCode).toBe(503);
  vi.advanceTimersByTime(1000);
  expect((await app.inject("/readyz")).json()).toEqual({
    status: "ready",
    checks: { database: "ok", object_store: "ok", worker: "ok", disk: "ok" },
  });
  broken = true;
  // Nor is a clock that is set back a reason to say for an hour what was so before.
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(1000);
  expect((await app.inject("/readyz")).statusCode).toBe(503);
  expect(failures).toEqual(["worker", "disk", "worker", "disk"]);
  await app.close();
  vi.useRealTimers();
});

it("readiness tells a store that refuses or is full from one that does not answer", async () => {
  for (const [failure, reason] of [
    ["away", "no answer from: object_store"],
    [
      "refusing",
      "the object store refuses the service's credentials or has no such bucket for them",
    ],
    ["full", "the object store is full"],
  ] as const) {
    const well = async () => undefined;
    const object_store = async () => {
      throw new ObjectStoreUnavailableError("secret reason", failure);
    };
    const checks = { database: well, object_store, worker: well, disk: well };
    const { app } = await createTestHttp(
      router({}),
      healthRoutes(checks, () => undefined),
    );
    expect((await app.inject("/readyz")).json().detail).toBe(`Not ready; ${reason}.`);
    await app.close();
  }
});

it("a file name is quoted for every browser, whatever it holds", () => {
  expect(attachment("model.json")).toBe(
    "attachment; filename=\"model.json\"; filename*=UTF-8''model.json",
  );
  expect(attachment('a"\r\nb\\é(1)')).toBe(
    "attachment; filename=\"a___b__(1)\"; filename*=UTF-8''a%22%0D%0Ab%5C%C3%A9%281%29",
  );
});
