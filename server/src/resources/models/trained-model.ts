/** What training makes, as a kind of models. */

import { conflict } from "../../platform/input/problem.ts";
import type { ModelKind } from "./kind.ts";
import { isUuid } from "./model-id.ts";
import { toModel, toModelDetail, trainedModelDetailSchema, trainedModelSchema } from "./record.ts";
import {
  deleteModel,
  existingModels,
  findModel,
  listModels,
  type ModelRow,
  type ModelRowWithDocument,
} from "./store.ts";

export const trainedModelKind = {
  type: "trained",
  schema: trainedModelSchema,
  detailSchema: trainedModelDetailSchema,
  statusScopes: ["models:read"],
  whyNoPredictions: null,
  whyNoName: null,
  async find(db, organizationId, id) {
    return isUuid(id) ? findModel(db, organizationId, id) : null;
  },
  list: listModels,
  idOf: ({ id }) => id,
  toModel,
  toDetail: toModelDetail,
  assertCompleted({ status, error_message }) {
    if (status === "completed") return;
    throw conflict(
      status === "failed"
        ? `The training of this model failed: ${error_message}`
        : `This model is ${status}; it can be used once its training job is completed.`,
    );
  },
  whyNotYet: ({ job_id }) =>
    `Training job ${job_id} is still at work on this model; cancel it first.`,
  remove: deleteModel,
  existing: existingModels,
} as const satisfies ModelKind<ModelRow, ModelRowWithDocument>;
