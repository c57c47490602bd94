/** What serving endpoints have answered since the start of this process, as metrics. */

import type { ModelCounters, Observations, ShadowCounters } from "../serving/observations.ts";
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
  ];
}

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
