/** The teacher of a job, ready to be asked by the worker that runs it. */

import { type ComputePool, type Teacher, TeacherError } from "@distillery/engine";
import type { Services } from "../../../api/services.ts";
import { localModels } from "../../models/local-models.ts";
import { findModel } from "../../models/service.ts";
import type { TrainingJobRow } from "../job.ts";
import { PooledModelTeacher } from "./model-teacher.ts";
import { openAccess } from "./sealed-access.ts";
import { UrlTeacher } from "./url-teacher.ts";

/**
 * Null where the job has no teacher.
 *
 * @param sealed see `sealed-access.ts`
 * @param pool where a model predicts
 * @throws TeacherError
 */
export async function openTeacher(
  services: Services,
  job: TrainingJobRow,
  sealed: string | null,
  pool: ComputePool,
): Promise<Teacher | null> {
  const { organization_id: organizationId, id: jobId } = job;
  const { teacher_model_id: modelId, teacher_predict_url: url } = job.request;
  if (url != null) {
    const owner = { organizationId, jobId };
    const { headers, query } = openAccess(services.sealer, owner, sealed);
    return new UrlTeacher({ url: url + query, headers, outbound: services.outbound });
  }
  if (modelId == null) return null;
  const model = await findModel(services.db, organizationId, modelId);
  if (!model?.document) throw new TeacherError(`The teacher model ${modelId} has been deleted.`);
  const { document, files } = model;
  const folder = await localModels(services).folder(organizationId, modelId, files, true);
  return new PooledModelTeacher({ id: modelId, document, files, folder, pool });
}
