/** The kinds of jobs and of models that this service knows, and what keeps a model: a further one is a line here. */

import { batchPredictionKind } from "./resources/batch-predictions/kind.ts";
import { datasetLineage } from "./resources/datasets/lineage.ts";
import type { DatasetUser } from "./resources/datasets/user.ts";
import { extractionKind } from "./resources/documents/extraction/kind.ts";
import { inductionKind } from "./resources/documents/induction/kind.ts";
import { documentLineage } from "./resources/documents/lineage.ts";
import { documentSchemaKind } from "./resources/documents/schemas/model-kind.ts";
import { evaluationKind } from "./resources/evaluations/kind.ts";
import type { JobKinds } from "./resources/jobs/any-job.ts";
import { jobLineage } from "./resources/jobs/lineage.ts";
import type { LineageContributor } from "./resources/lineage/lineage.ts";
import type { ModelKinds, ModelUser } from "./resources/models/kind.ts";
import { learners } from "./resources/models/learners.ts";
import { modelLineage } from "./resources/models/lineage.ts";
import { trainedModelKind } from "./resources/models/trained-model.ts";
import type { RetainedKinds } from "./resources/retention/gather.ts";
import { endpointLineage } from "./resources/serving/lineage.ts";
import { servedModels } from "./resources/serving/service.ts";
import { trainingKind } from "./resources/training/kind.ts";

export const JOB_KINDS = [
  trainingKind,
  batchPredictionKind,
  inductionKind,
  extractionKind,
  evaluationKind,
] as const satisfies JobKinds;

export const MODEL_KINDS = [trainedModelKind, documentSchemaKind] as const satisfies ModelKinds;

/** What refers to datasets beside open jobs. */
export const DATASET_USERS: readonly DatasetUser[] = [learners];

/** What knows what came of what; the first that knows something describes it. */
export const LINEAGE: readonly LineageContributor[] = [
  datasetLineage,
  jobLineage,
  modelLineage,
  documentLineage,
  endpointLineage,
];

/** What refers to models beside open jobs and aliases. */
export const MODEL_USERS: readonly ModelUser[] = [servedModels];

/** All that retention goes by. */
export const ALL_KINDS: RetainedKinds = {
  jobKinds: JOB_KINDS,
  modelKinds: MODEL_KINDS,
  modelUsers: MODEL_USERS,
  datasetUsers: DATASET_USERS,
};
