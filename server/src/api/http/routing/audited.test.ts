import { expect, it } from "vitest";
import { z } from "zod";
import { changesOf } from "./audited.ts";
import { rawRoute } from "./raw-route.ts";
import { collectRoutes } from "./routes.ts";
import { router } from "./trpc.ts";

const rollback = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/widgets/{widget_id}/rollback",
    summary: "Roll Back",
    tags: ["Widgets"],
  },
  scope: null,
  input: z.object({ path: z.object({ widget_id: z.uuid() }) }),
  responses: { 200: { description: "Done" } },
  handler: async () => ({ json: {} }),
});
const create = rawRoute({
  operation: {
    method: "POST",
    path: "/v1/widgets",
    summary: "Create",
    tags: ["Widgets"],
    creates: true,
  },
  scope: null,
  responses: { 200: { description: "Made" } },
  handler: async () => ({ json: {} }),
});
const [route, creation] = collectRoutes(router({}), [rollback, create]);

const told = (widget_id: unknown) =>
  changesOf(route!, {
    ...{ names: { widget_id }, about: null },
    ...{
      status: 200,
      answer: null,
      isReplay: false,
      requestId: "one",
      address: "127.0.0.1",
      by: null,
    },
  }).map(({ resourceType, resourceId, path }) => ({ resourceType, resourceId, path }));

it("spells an id as it is stored, so that its events are found", () => {
  const id = "f447565b-ae63-430d-b097-201784f5cf23";
  const change = { resourceType: "widgets", resourceId: id, path: `/v1/widgets/${id}/rollback` };
  expect([id, id.toUpperCase()].map(told)).toEqual([[change], [change]]);
  expect(told("A-Name")[0]?.resourceId).toBe("A-Name");
});

it("takes whatever callers of /trpc send in place of a name", () => {
  const nothing = [{ resourceType: "widgets", resourceId: null, path: "/v1/widgets//rollback" }];
  for (const sent of [{ toString: 1, valueOf: 1 }, [], null, undefined, true]) {
    expect(told(sent)).toEqual(nothing);
  }
  expect(told("\ud800")[0]?.path).toBe("/v1/widgets/%EF%BF%BD/rollback");
});

it("calls an upload by its own id, not by a name that its caller chose", () => {
  const answer = { upload_id: "own", name: "f447565b-ae63-430d-b097-201784f5cf23" };
  const asked = {
    names: {},
    about: null,
    status: 200,
    isReplay: false,
    requestId: "one",
    address: "127.0.0.1",
    by: null,
  };
  expect(changesOf(creation!, { ...asked, answer })[0]?.resourceId).toBe("own");
});
