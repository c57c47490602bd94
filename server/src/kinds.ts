/** The kinds of jobs and of models that this service knows: a further one is a line here. */

import { extractionKind } from "./resources/documents/extraction/kind.ts";
import { inductionKind } from "./resources/documents/induction/kind.ts";
import { documentSchemaKind } from "./resources/documents/schemas/model-kind.ts";
import type { JobKinds } from "./resources/jobs/any-job.ts";
import type { ModelKinds } from "./resources/models/kind.ts";
import { trainedModelKind } from "./resources/models/trained-model.ts";
import { trainingKind } from "./resources/training/kind.ts";

export const JOB_KINDS = [trainingKind, inductionKind, extractionKind] as const satisfies JobKinds;

export const MODEL_KINDS = [trainedModelKind, documentSchemaKind] as const satisfies ModelKinds;
