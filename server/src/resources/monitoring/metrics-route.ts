/**
 * `/metrics`, for Prometheus. A caller with an API key reads what its own organization does; the
 * operator's token reads the process and every organization. Counters are those of this process.
 */

import { timingSafeEqual } from "node:crypto";
import { assertScope } from "../../api/context/scopes.ts";
import { type RawRoute, rawRoute } from "../../api/http/routing/raw-route.ts";
import type { Services } from "../../api/services.ts";
import { isDatabaseUnavailable } from "../../platform/db/unavailable.ts";
import { jobCounts } from "../jobs/service.ts";
import { recentDrift } from "../serving/drift/service.ts";
import { observations } from "../serving/observations.ts";
import { predictionLog } from "../serving/prediction-log/stored-log.ts";
import { endpointNames } from "../serving/service.ts";
import { driftFamilies } from "./drift-families.ts";
import { endpointFamilies } from "./endpoint-families.ts";
import { EXPOSITION_TYPE, expositionOf, type Family, type Labels } from "./exposition.ts";
import type { HttpRequests } from "./http-requests.ts";
import type { ProcessState } from "./process-state.ts";

export interface MetricsSources {
  readonly http: HttpRequests;
  readonly process: ProcessState;
}

export const metricsRoute = ({ http, process }: MetricsSources): RawRoute =>
  rawRoute({
    operation: {
      method: "GET",
      path: "/metrics",
      summary: "Metrics",
      description:
        "For Prometheus, which sends `Authorization: Bearer …`. An API key or access token with `organization:read` reads its own organization: jobs, and what the process that answers has answered at each serving endpoint, and how far the rows of endpoints have drifted within 24 hours (as of all processes, at most a minute ago). The token of `DISTILLERY_METRICS_TOKEN`, which opens nothing else, reads all of them, told apart by the label `organization`, and the process: HTTP requests, queue, memory, processor time and event loop. Each process of a fleet is scraped on its own.",
      tags: ["Health"],
      operationId: "metrics",
      errors: ["unauthenticated", "forbidden", "too-many-requests", "unavailable"],
    },
    scope: null,
    responses: {
      200: {
        description: "The metrics, in version 0.0.4 of the text-based exposition format",
        content: { "text/plain": { schema: { type: "string" } } },
      },
    },
    async handler({ ctx, headers }) {
      const { services } = ctx;
      const families = isMetricsToken(services.config.metricsToken, headers.authorization)
        ? [
            ...process.families(),
            ...http.families(),
            waitingFamily(services),
            ...(await operatorsFamilies(services)),
          ]
        : await familiesOf(services, assertScope(ctx, "organization:read").organizationId);
      return { body: expositionOf(families), contentType: EXPOSITION_TYPE };
    },
  });

/** Whether a request's `Authorization` is the operator's token, compared in constant time. */
export function isMetricsToken(
  token: string | undefined,
  authorization: string | undefined,
): boolean {
  if (token === undefined || authorization === undefined) return false;
  const given = Buffer.from(authorization.replace(/^bearer +/i, ""));
  const expected = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A database that does not answer is told, beside what the process knows without it. */
async function operatorsFamilies(services: Services): Promise<readonly Family[]> {
  try {
    const [own, queue] = await Promise.all([familiesOf(services, null), queueFamily(services)]);
    return [upFamily(1), queue, ...own];
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return [upFamily(0)];
  }
}

const upFamily = (value: 0 | 1): Family => ({
  name: "distillery_database_up",
  help: "1 where the database answers, else 0, and what only it knows is left out.",
  type: "gauge",
  samples: [[{}, value]],
});

const waitingFamily = ({ compute }: Services): Family => ({
  name: "distillery_serving_waiting_requests",
  help: "Requests for predictions and explanations that wait for a thread.",
  type: "gauge",
  samples: [[{}, compute.waitingRequests]],
});

async function queueFamily({ queue }: Services): Promise<Family> {
  const depths = await queue.depths();
  return {
    name: "distillery_queue_tasks",
    help: "Tasks of all processes that wait or run, by queue.",
    type: "gauge",
    samples: depths.flatMap(({ queue: name, waiting, running }) => [
      [{ queue: name, state: "waiting" }, waiting],
      [{ queue: name, state: "running" }, running],
    ]),
  };
}

/** @param organizationId null = of all, with a label that tells them apart */
async function familiesOf(services: Services, organizationId: string | null): Promise<Family[]> {
  const labelsOf = (organization: string): Labels =>
    organizationId === null ? { organization } : {};
  const [jobs, endpoints, drift] = await Promise.all([
    jobCounts(services, organizationId),
    endpointNames(services, organizationId),
    recentDrift(services, organizationId),
  ]);
  const named = endpoints.map(({ id, name, organization_id }) => ({
    id,
    name,
    labels: { ...labelsOf(organization_id), endpoint: id },
  }));
  const labels = new Map(named.map((endpoint) => [endpoint.id, endpoint.labels]));
  return [
    {
      name: "distillery_jobs",
      help: "Jobs that are there, by kind and status; deleted ones are not.",
      type: "gauge",
      samples: jobs.map(({ organization_id, kind, status, count }) => [
        { ...labelsOf(organization_id), kind, status },
        count,
      ]),
    },
    ...endpointFamilies(named, observations(services), predictionLog(services)),
    ...driftFamilies(drift, (id) => labels.get(id)),
  ];
}
