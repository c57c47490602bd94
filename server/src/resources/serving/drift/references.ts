/** What models are compared with: read from their directories once, for it never changes. */

import { type DriftReference, parseDriftReference } from "@distillery/engine";
import type { Services } from "../../../api/services.ts";
import { readAll } from "../../../platform/objects/object-store.ts";
import { modelKey } from "../../models/files.ts";
import { findTrainedModel } from "../../models/service.ts";

/** Some hundred kilobytes at most, each. */
const MOST_KEPT = 128;

const kept = new WeakMap<Services, Map<string, DriftReference>>();

/** @returns why there is none, where there is none */
export async function referenceOf(
  services: Services,
  organizationId: string,
  modelId: string,
): Promise<DriftReference | string> {
  const references = kept.get(services) ?? new Map<string, DriftReference>();
  kept.set(services, references);
  const known = references.get(modelId);
  if (known) {
    references.delete(modelId);
    references.set(modelId, known);
    return known;
  }
  const model = await findTrainedModel(services.db, organizationId, modelId);
  if (!model?.document) return "The model was deleted.";
  const { reference, frame } = model.document;
  if (frame) return "The drift of series and sequences is not measured.";
  if (!reference) {
    return "The model was trained before what its columns were like was kept with it: train it again.";
  }
  const key = modelKey(organizationId, modelId, reference.file);
  const read = parseDriftReference(await readAll(services.objects.get(key)));
  references.set(modelId, read);
  const [oldest] = references.keys();
  if (references.size > MOST_KEPT && oldest !== undefined) references.delete(oldest);
  return read;
}
