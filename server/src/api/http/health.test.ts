import { expect, it, vi } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { createTestHttp } from "../../testing/http-service.ts";
import { attachment } from "./bodies/object-download.ts";
import { healthRoutes } from "./health.ts";
import { router } from "./routing/trpc.ts";

it("readiness names what does not answer, and is looked at once a second at most", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
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
  vi.advanceTimersByTime(1000);
  expect((await app.inject("/readyz")).statusCode).toBe(503);
  expect(failures).toEqual(["worker", "disk", "worker", "disk"]);
  await app.close();
  vi.useRealTimers();
});

it("a file name is quoted for every browser, whatever it holds", () => {
  expect(attachment("model.json")).toBe(
    "attachment; filename=\"model.json\"; filename*=UTF-8''model.json",
  );
  expect(attachment('a"\r\nb\\é(1)')).toBe(
    "attachment; filename=\"a___b__(1)\"; filename*=UTF-8''a%22%0D%0Ab%5C%C3%A9%281%29",
  );
});
