/** The kinds of jobs and of models that this service knows: a further one is a line here. */

import { extractionKind } from "./documents/extraction/kind.ts";
import { inductionKind } from "./documents/induction/kind.ts";
import { documentSchemaKind } from "./documents/schemas/model-kind.ts";
import type { JobKinds } from "./jobs/any-job.ts";
import type { ModelKinds } from "./models/kind.ts";
import { trainedModelKind } from "./models/trained-model.ts";
import { trainingKind } from "./training/kind.ts";

export const JOB_KINDS = [trainingKind, inductionKind, extractionKind] as const satisfies JobKinds;

export const MODEL_KINDS = [trainedModelKind, documentSchemaKind] as const satisfies ModelKinds;
