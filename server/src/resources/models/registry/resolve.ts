/** From what a caller wrote to the id of a trained model. */

import type { Database, Sql } from "../../../platform/db/database.ts";
import { aliasReference, isUuid, LATEST, parseReference } from "../model-id.ts";
import { findModel, findVersion } from "../store.ts";
import { aliasedModel, aliasesOfModel } from "./store.ts";

/**
 * @param text as `modelReferenceSchema` takes it; a UUID is given back, whether there is such a model or not
 * @returns null where it means no model
 */
export async function resolveReference(
  db: Database,
  organizationId: string,
  text: string,
): Promise<string | null> {
  const reference = parseReference(text);
  switch (reference?.kind) {
    case undefined:
      return null;
    case "bare":
      if (isUuid(text)) return text.toLowerCase();
      return findVersion(db, organizationId, text, null);
    case "latest":
      return findVersion(db, organizationId, reference.name, null);
    case "version":
      return findVersion(db, organizationId, reference.name, reference.version);
    case "alias":
      return aliasedModel(db, organizationId, reference);
  }
}

/**
 * All that mean the model: its id, its version, aliases, and its name where it is the latest version.
 *
 * @param db sees the model that `sql` may have deleted
 */
export async function referencesTo(
  db: Database,
  sql: Sql,
  organizationId: string,
  id: string,
): Promise<readonly string[]> {
  const references = [id, ...(await aliasesOfModel(sql, organizationId, id))];
  const model = await findModel(db, organizationId, id);
  if (model === null || model.version === null) return references;
  const { name, version } = model;
  references.push(`${name}@${version}`);
  const latest = await findVersion(db, organizationId, name, null);
  if (latest === id) references.push(name, aliasReference(name, LATEST));
  return references;
}
