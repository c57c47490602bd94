/** How far the rows of serving endpoints have drifted, as metrics: the same in each process. */

import type { Compared, ComparedDistribution } from "../serving/drift/comparison.ts";
import type { EndpointDrift } from "../serving/drift/service.ts";
import type { Family, Labels } from "./exposition.ts";

/** Of a model, those that it relies on most: so the series are bounded, and stay the same ones. */
const MOST_COLUMNS = 20;

interface OfModel {
  readonly labels: Labels;
  readonly compared: Compared;
}

/** @param labelsOf with which everything of an endpoint is told; undefined: it is not shown */
export function driftFamilies(
  drift: readonly EndpointDrift[],
  labelsOf: (endpointId: string) => Labels | undefined,
): Family[] {
  const models = drift.flatMap(({ endpointId, modelId, compared }) => {
    const labels = labelsOf(endpointId);
    return labels ? [{ labels: { ...labels, model: modelId }, compared }] : [];
  });
  return [
    {
      name: "distillery_endpoint_drift_rows",
      help: "Rows of the last 24 hours, of all processes, that are compared with the training data.",
      type: "gauge",
      samples: models.map(({ labels, compared }) => [labels, compared.rows]),
    },
    {
      name: "distillery_endpoint_drift_columns",
      help: "Columns by how far they have drifted.",
      type: "gauge",
      samples: models.flatMap(({ labels, compared: { columns } }) =>
        [...new Set(columns.map(({ level }) => level))].map((level): [Labels, number] => [
          { ...labels, level },
          columns.filter((column) => column.level === level).length,
        ]),
      ),
    },
    {
      name: "distillery_endpoint_input_drift_psi",
      help: "Population stability index of the columns that a model relies on most, once there are rows enough.",
      type: "gauge",
      samples: samplesOf(models, "column", columnsOf, judged),
    },
    {
      name: "distillery_endpoint_input_missing_ratio",
      help: "Share of rows without a value.",
      type: "gauge",
      samples: samplesOf(models, "column", columnsOf, ({ missing }) => missing),
    },
    {
      name: "distillery_endpoint_input_training_missing_ratio",
      help: "Share of the training data's rows without a value.",
      type: "gauge",
      samples: samplesOf(models, "column", columnsOf, (column) => column.missingInTraining),
    },
    {
      name: "distillery_endpoint_prediction_drift_psi",
      help: "Population stability index of the predictions, once there are rows enough.",
      type: "gauge",
      samples: samplesOf(models, "prediction", ({ predictions }) => predictions, judged),
    },
  ];
}

const columnsOf = ({ columns }: Compared) => columns.slice(0, MOST_COLUMNS);

const judged = ({ level, psi }: ComparedDistribution): number | null =>
  level === "too_few_rows" ? null : psi;

function samplesOf(
  models: readonly OfModel[],
  label: string,
  parts: (compared: Compared) => readonly ComparedDistribution[],
  value: (part: ComparedDistribution) => number | null,
): [Labels, number][] {
  return models.flatMap(({ labels, compared }) =>
    parts(compared).flatMap((part): [Labels, number][] => {
      const figure = value(part);
      return figure === null ? [] : [[{ ...labels, [label]: part.name }, figure]];
    }),
  );
}
