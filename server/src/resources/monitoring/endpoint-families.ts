/** What serving endpoints have answered since the start of this process, as metrics. */

import type { ModelCounters, Observations, ShadowCounters } from "../serving/observations.ts";
import type { LogCounters } from "../serving/prediction-log/buffered-log.ts";
import type { Family, Labels } from "./exposition.ts";

export interface NamedEndpoint {
  readonly id: string;
  readonly name: string;
  /** With which everything of it is told. */
  readonly labels: Labels;
}

interface OfModel {
  readonly labels: Labels;
  readonly counters: ModelCounters;
}
interface OfShadow {
  readonly labels: Labels;
  readonly counters: ShadowCounters;
}

export function endpointFamilies(
  endpoints: readonly NamedEndpoint[],
  observed: Pick<Observations, "countersOf">,
  logs: { countersOf(endpointId: string): LogCounters | null },
): Family[] {
  const counted = endpoints.map(({ id, labels }) => ({ labels, ...observed.countersOf(id) }));
  const models = counted.flatMap(({ labels, models: all }) =>
    all.map((counters) => ({ labels: { ...labels, model: counters.modelId ?? "" }, counters })),
  );
  const shadows = counted.flatMap(({ labels, shadows: all }) =>
    all.map((counters) => ({ labels: { ...labels, model: counters.reference }, counters })),
  );
  return [
    {
      name: "distillery_endpoint_info",
      help: "1, with the name of a serving endpoint beside its id.",
      type: "gauge",
      samples: endpoints.map(({ labels, name }) => [{ ...labels, name }, 1]),
    },
    ...modelFamilies(models),
    ...shadowFamilies(shadows),
    ...logFamilies(
      endpoints.flatMap(({ id, labels }) => {
        const counters = logs.countersOf(id);
        return counters === null ? [] : [{ labels, counters }];
      }),
    ),
  ];
}

const logFamilies = (
  logs: readonly { readonly labels: Labels; readonly counters: LogCounters }[],
): Family[] => [
  {
    name: "distillery_prediction_log_rows_total",
    help: "Predictions that were to be logged, by what became of them: written, or why they were dropped.",
    type: "counter",
    samples: logs.flatMap(({ labels, counters: { written, dropped } }) =>
      Object.entries({ written, ...dropped }).map(([outcome, rows]): [Labels, number] => [
        { ...labels, outcome },
        rows,
      ]),
    ),
  },
  {
    name: "distillery_prediction_log_waiting_rows",
    help: "Logged predictions that are not in a file yet.",
    type: "gauge",
    samples: logs.map(({ labels, counters }) => [labels, counters.waiting]),
  },
];

function modelFamilies(models: readonly OfModel[]): Family[] {
  return [
    {
      name: "distillery_endpoint_requests_total",
      help: "Requests by the model that answered, or was to, and by the class of the status.",
      type: "counter",
      samples: models.flatMap(({ labels, counters: { requests, refused, failed } }) => [
        [{ ...labels, status: "2xx" }, requests - refused - failed],
        [{ ...labels, status: "4xx" }, refused],
        [{ ...labels, status: "5xx" }, failed],
      ]),
    },
    {
      name: "distillery_endpoint_rows_total",
      help: "Predictions and explanations that were given.",
      type: "counter",
      samples: models.map(({ labels, counters }) => [labels, counters.rows]),
    },
    {
      name: "distillery_endpoint_request_duration_seconds",
      help: "From the request's body being there to the answer being there; of those that succeeded.",
      type: "histogram",
      samples: models.map(({ labels, counters }) => [labels, counters.distribution]),
    },
  ];
}

function shadowFamilies(shadows: readonly OfShadow[]): Family[] {
  const counter = (
    name: string,
    help: string,
    value: (counters: ShadowCounters) => number,
  ): Family => ({
    name,
    help,
    type: "counter",
    samples: shadows.map(({ labels, counters }) => [labels, value(counters)]),
  });
  return [
    {
      name: "distillery_endpoint_shadow_requests_total",
      help: "Requests for the shadow model: compared, failed, or dropped because too many waited.",
      type: "counter",
      samples: shadows.flatMap(({ labels, counters }) =>
        (["compared", "failed", "dropped"] as const).map((outcome): [Labels, number] => [
          { ...labels, outcome },
          counters[outcome],
        ]),
      ),
    },
    counter(
      "distillery_endpoint_shadow_rows_total",
      "Predictions that were compared.",
      ({ rows }) => rows,
    ),
    counter(
      "distillery_endpoint_shadow_differing_rows_total",
      "Predictions whose labels, or values, were not the same.",
      ({ differing }) => differing,
    ),
    counter(
      "distillery_endpoint_shadow_difference_total",
      "Sum over the rows: absolute difference of values, total variation distance of classes.",
      ({ summedDifference }) => summedDifference,
    ),
  ];
}
