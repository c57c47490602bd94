/** An induction: the sample is read, a schema made of it and kept with its plan and its reasoning. */

import { InductionError } from "../../../reading/induction/runner/induction-runner.ts";
import { skillBySlug } from "../../../reading/induction/skills/index.ts";
import type { JobEnd } from "../../jobs/kind.ts";
import type { InductionJobRow } from "../jobs/job.ts";
import { jobDocuments, unreadableWarnings } from "../jobs/job-documents.ts";
import type { DocumentScene } from "../jobs/scene.ts";
import { PLAN_FILE, REASONING_FOLDER, SCHEMA_FILE, schemaKey } from "../schemas/service.ts";
import { completeSchema, type SchemaFile } from "../schemas/store.ts";

export async function induce(
  scene: DocumentScene,
  job: InductionJobRow,
): Promise<JobEnd<InductionJobRow["result"]>> {
  const { services, signal, progress } = scene;
  const { objects } = services;
  const { schema_id: id, model_id } = job.details;
  const skill = skillBySlug(job.request.skill);
  if (skill === null) throw new InductionError(`There is no skill ${job.request.skill} any more.`);
  const documents = await jobDocuments(scene, job);
  if (documents.ready.length === 0) {
    throw new InductionError(
      `No document could be read. ${unreadableWarnings(documents)[0] ?? ""}`,
    );
  }
  const { schema, plan, reasoning } = await services.induction.induce(
    {
      documents: documents.ready,
      request: { useCase: job.request.use_case, skill, maxQuestions: job.request.max_questions },
      ...(services.inducer && { inducer: services.inducer }),
    },
    { signal, onProgress: ({ phase, done, total }) => progress.at(phase, done, total) },
  );
  if (schema.questions.length === 0) {
    throw new InductionError(
      "No question could be found that enough of the documents answer. Send more documents of one kind, or another skill.",
    );
  }
  signal.throwIfAborted();
  progress.at("saving", 0, 1);
  const put = async (path: string, content: string): Promise<SchemaFile> => {
    const key = schemaKey(job.organization_id, { id }, path);
    return { path, ...(await objects.put(key, Buffer.from(content))) };
  };
  for (const [name, content] of Object.entries(reasoning)) {
    await put(`${REASONING_FOLDER}${name}`, content);
  }
  const files = [
    await put(SCHEMA_FILE, JSON.stringify({ model_id, schema }, null, 2)),
    await put(PLAN_FILE, JSON.stringify(plan)),
  ];
  progress.at("done", 1, 1);
  return {
    result: {
      warnings: unreadableWarnings(documents),
      questions: schema.questions.length,
      hash: String(schema.metadata["hash"] ?? ""),
    },
    alongside: (sql) => completeSchema(sql, job.id, schema, files),
  };
}
