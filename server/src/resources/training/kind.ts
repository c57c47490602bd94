/** Training, as a kind of jobs. */

import type { LoggedEvent } from "@distillery/engine";
import { z } from "zod";
import { type JobKind, jobQueue, resultRecord } from "../jobs/kind.ts";
import { readEvents } from "../jobs/service.ts";
import { setModelsStatus } from "../models/service.ts";
import { type TrainingJobRow, trainingArea } from "./job.ts";
import { metricsSchema, toMetrics } from "./metrics.ts";
import { trainingNeeds } from "./needs.ts";
import { modelsOf, toProgress } from "./record.ts";
import { isOwnFault, train } from "./run.ts";
import { shownEvent } from "./shown-event.ts";

const resultSchema = resultRecord(
  "training",
  z.object({
    model_id: z.uuid(),
    model_ids: z.array(z.uuid()),
    metric_names: z.array(z.string()),
    pareto_values: z.array(z.array(z.number().nullable())),
  }),
).meta({ id: "TrainingResult" });

export const trainingKind = {
  name: "training",
  area: trainingArea,
  makes: "the models of a training job",
  queue: jobQueue("training.run"),
  resultSchema,
  toResult(job) {
    const models = modelsOf(job);
    return {
      result: {
        model_id: job.details.model_id,
        model_ids: models.map(({ id }) => id),
        metric_names: job.details.record.metrics,
        pareto_values: models.map(({ scores }) => scores),
      },
    };
  },
  metricsSchema,
  measures: "its trials, series and front",
  async toMetrics({ services }, job) {
    const events = await readEvents<LoggedEvent>(services.db, job.id);
    return toMetrics(
      job,
      events.map(({ event }) => event),
    );
  },
  toProgress,
  needs: trainingNeeds,
  toEvent: shownEvent,
  run: train,
  isOwnFault,
  follow: setModelsStatus,
  keeps: "report",
  refusals: {
    datasets: (open) =>
      `${open} training ${open === 1 ? "job reads" : "jobs read"} this dataset; cancel or await ${open === 1 ? "it" : "them"} first.`,
    models: () => "An open training job learns from this model; cancel it first.",
  },
} as const satisfies JobKind<TrainingJobRow>;
