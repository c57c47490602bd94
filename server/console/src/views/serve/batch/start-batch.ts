/** Starts a batch prediction, with its file where it has one. */

import type { UploadProgress } from "@distillery/client";
import { ask, client } from "../../../api/client.ts";
import { type BatchForm, bodyOf, fileCall } from "./batch-request.ts";

interface Started {
  readonly job_id: string;
}

/** @throws {ServiceError} naming what is wrong */
export async function startBatch(
  form: BatchForm,
  onProgress: (progress: UploadProgress) => void,
): Promise<Started> {
  if (form.source !== "upload" || form.file === null) {
    return ask<Started>("/v1/batch_predictions", { method: "POST", body: bodyOf(form) });
  }
  const body = new FormData();
  body.append("file", form.file);
  const response = await client.send(fileCall(form), body, { onProgress });
  return response.json();
}
