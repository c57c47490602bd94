/** Serving endpoints: create, list, get, patch, roll back, history, delete. Answering rows is `rows-routes.ts`. */

import { z } from "zod";
import { authed, router } from "../../api/http/routing/trpc.ts";
import { entityTag, IF_MATCH, ifMatch } from "../../api/masks/etag.ts";
import { CreationPages } from "../../api/paging/page-end.ts";
import { cutPage, nextPageToken, PageTokens, pageQuery } from "../../api/paging/page-token.ts";
import { resourceOperations } from "../../api/resource/operations.ts";
import type { ModelKinds } from "../models/kind.ts";
import { createEndpoint, patchEndpoint, rollBack, shown } from "./changes.ts";
import { driftSchema, hoursQuery } from "./drift/record.ts";
import { driftOf } from "./drift/service.ts";
import { endpointMetricsSchema, toEndpointMetrics } from "./metrics.ts";
import { observations } from "./observations.ts";
import { predictionLogOperations } from "./prediction-log/operations.ts";
import { predictionLog } from "./prediction-log/stored-log.ts";
import {
  endpointChanges,
  endpointReference,
  endpointSchema,
  newEndpoint,
  splitSchema,
  toSplit,
} from "./record.ts";
import { removeEndpoint, requireEndpoint, splitsOf } from "./service.ts";
import { listEndpoints } from "./store.ts";

const path = { endpoint_id: endpointReference };
const tags = ["Serving"];
const says = resourceOperations({
  collection: "/v1/serving/endpoints",
  parameter: "endpoint_id",
  title: "Serving Endpoint",
  tags,
});
const responseHeaders = z.object({
  ETag: z
    .string()
    .describe("Changes with the endpoint, and not with what its models can answer; for If-Match."),
});

export const servingRouter = (kinds: ModelKinds) =>
  router({
    create: authed("serving:write")
      .meta(
        says.create({
          description:
            "A stable address in front of one or more models, whose answers must be of one kind: the same task, label and classes. From then on none of them can be deleted. Needs models:read beside serving:write.",
          errors: ["conflict"],
          responseHeaders,
        }),
      )
      .input(z.strictObject(newEndpoint))
      .output(endpointSchema)
      .mutation(async ({ ctx, input }) => {
        const endpoint = await createEndpoint(ctx, kinds, input);
        ctx.setHeader("etag", entityTag(endpoint.revision));
        return endpoint;
      }),

    list: authed("serving:read")
      .meta(says.list({ description: "Newest first." }))
      .input(z.strictObject(pageQuery))
      .output(z.object({ endpoints: z.array(endpointSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { organizationId } = ctx.auth;
        const { limit, page_token } = input;
        const filter = [organizationId];
        const pages = new CreationPages(ctx.services, "serving_endpoints");
        const after = pages.read(filter, page_token);
        const rows = await listEndpoints(ctx.services.db, organizationId, limit, after);
        const page = cutPage(rows, limit, (last) => pages.write(filter, last));
        const endpoints = await Promise.all(page.entries.map((row) => shown(ctx, kinds, row)));
        return { endpoints, next_page_token: page.next_page_token };
      }),

    get: authed("serving:read")
      .meta(says.get({ responseHeaders }))
      .input(z.strictObject(path))
      .output(endpointSchema)
      .query(async ({ ctx, input }) => {
        const row = await requireEndpoint(ctx, input.endpoint_id);
        ctx.setHeader("etag", entityTag(String(row.revision)));
        return shown(ctx, kinds, row);
      }),

    patch: authed("serving:write")
      .meta(
        says.patch({
          description:
            "Changes the members that are sent; a split is replaced as a whole. The next request that any process takes obeys it. A key stays with its model as far as the traffic allows. A PATCH that changes nothing leaves revision and times as they are. Other models need models:read beside serving:write.",
          headers: IF_MATCH,
          errors: ["conflict", "precondition-failed"],
          responseHeaders,
        }),
      )
      .input(z.strictObject({ ...path, ...endpointChanges, ifMatch }))
      .output(endpointSchema)
      .mutation(async ({ ctx, input: { endpoint_id, ifMatch: tag, ...changes } }) => {
        const endpoint = await patchEndpoint(ctx, kinds, endpoint_id, changes, tag);
        ctx.setHeader("etag", entityTag(endpoint.revision));
        return endpoint;
      }),

    rollback: authed("serving:write")
      .meta(
        says.action("Rollback", {
          summary: "Roll Back Serving Endpoint",
          description:
            "Brings back the last split before the present one whose models can all still answer, with each key at the model that it had then. Called again, it goes further back. The shadow model stays.",
          headers: IF_MATCH,
          errors: ["conflict", "precondition-failed"],
          responseHeaders,
        }),
      )
      .input(z.strictObject({ ...path, ifMatch }))
      .output(endpointSchema)
      .mutation(async ({ ctx, input }) => {
        const endpoint = await rollBack(ctx, kinds, input.endpoint_id, input.ifMatch);
        ctx.setHeader("etag", entityTag(endpoint.revision));
        return endpoint;
      }),

    history: authed("serving:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/serving/endpoints/{endpoint_id}/history",
          summary: "List Splits of Serving Endpoint",
          description: "Every split that it has had, the present one first.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.strictObject({ ...path, ...pageQuery }))
      .output(z.object({ splits: z.array(splitSchema), next_page_token: nextPageToken }))
      .query(async ({ ctx, input }) => {
        const { limit, page_token } = input;
        const { id } = await requireEndpoint(ctx, input.endpoint_id);
        const secret = ctx.services.secret.derive("page-tokens");
        const tokens = new PageTokens(secret, "serving_splits", z.int());
        const filter = [ctx.auth.organizationId, id];
        const before = tokens.decode(filter, page_token) ?? null;
        const rows = await splitsOf(ctx, id, limit, before);
        const page = cutPage(rows, limit, ({ revision }) => tokens.encode(filter, revision));
        return { splits: page.entries.map(toSplit), next_page_token: page.next_page_token };
      }),

    metrics: authed("serving:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/serving/endpoints/{endpoint_id}/metrics",
          summary: "Get Metrics of Serving Endpoint",
          description:
            "Requests, errors, rows and latencies by model, and how the shadow model compares, counted since its start by the process that answers.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.strictObject(path))
      .output(endpointMetricsSchema)
      .query(async ({ ctx, input }) => {
        const { id } = await requireEndpoint(ctx, input.endpoint_id);
        const logged = predictionLog(ctx.services).countersOf(id);
        return toEndpointMetrics(id, observations(ctx.services), logged);
      }),

    drift: authed("serving:read")
      .meta({
        openapi: {
          method: "GET",
          path: "/v1/serving/endpoints/{endpoint_id}/drift",
          summary: "Get Drift of Serving Endpoint",
          description:
            "How far rows and predictions have drifted from the training data, by model and column: the rows that all processes answered within the last hours, at most 15 seconds ago. Of rows that Explain, Predict of a model and shadow models get nothing is counted.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.strictObject({ ...path, hours: hoursQuery }))
      .output(driftSchema)
      .query(({ ctx, input }) => driftOf(ctx, kinds, input.endpoint_id, input.hours)),

    ...predictionLogOperations(kinds),

    delete: authed("serving:write")
      .meta({
        openapi: {
          method: "DELETE",
          path: "/v1/serving/endpoints/{endpoint_id}",
          summary: "Delete Serving Endpoint",
          description: "With its prediction log and the feedback on it. Its models stay.",
          tags,
          errors: ["not-found"],
        },
      })
      .input(z.strictObject(path))
      .output(z.object({ id: z.uuid(), deleted: z.boolean() }))
      .mutation(async ({ ctx, input }) => ({
        id: await removeEndpoint(ctx, input.endpoint_id),
        deleted: true,
      })),
  });
