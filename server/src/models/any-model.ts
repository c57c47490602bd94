/** Models of either type: those that were trained, and the schemas that were induced from documents. */

import {
  existingSchemas,
  findSchema,
  listSchemas,
  type SchemaRow,
  type SchemaRowWithContent,
} from "../documents/schemas/service.ts";
import type { AuthedContext } from "../http/context.ts";
import type { PageEnd } from "../http/page-end.ts";
import { notFound } from "../http/problem.ts";
import type { OwnerKind } from "../objects/holds.ts";
import {
  existingModels,
  findModel,
  listModels,
  type ModelRow,
  type ModelRowWithDocument,
} from "./store.ts";

export type AnyModel =
  | { readonly type: "trained"; readonly row: ModelRowWithDocument }
  | { readonly type: "document_schema"; readonly row: SchemaRowWithContent };

export type ListedModel =
  | { readonly type: "trained"; readonly row: ModelRow }
  | { readonly type: "document_schema"; readonly row: SchemaRow };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** @throws 404 */
export async function requireModel(ctx: AuthedContext, id: string): Promise<AnyModel> {
  const { db } = ctx.platform;
  const { organizationId } = ctx.auth;
  const trained = UUID.test(id) ? await findModel(db, organizationId, id) : null;
  if (trained) return { type: "trained", row: trained };
  const schema = await findSchema(db, organizationId, id);
  if (schema) return { type: "document_schema", row: schema };
  throw notFound("model");
}

/** Newest first; one more than `limit` where there is a further page. */
export async function listAllModels(
  ctx: AuthedContext,
  page: {
    readonly limit: number;
    readonly after: PageEnd | null;
    readonly type: AnyModel["type"] | null;
  },
): Promise<readonly ListedModel[]> {
  const { db } = ctx.platform;
  const { organizationId } = ctx.auth;
  const { limit, after, type } = page;
  const [trained, schemas] = await Promise.all([
    type === "document_schema" ? [] : listModels(db, organizationId, limit, after),
    type === "trained" ? [] : listSchemas(db, organizationId, limit, after),
  ]);
  return [
    ...trained.map((row): ListedModel => ({ type: "trained", row })),
    ...schemas.map((row): ListedModel => ({ type: "document_schema", row })),
  ]
    .sort((a, b) => newestFirst(a.row, b.row))
    .slice(0, limit + 1);
}

interface Dated {
  readonly id: string;
  readonly created_at: Date;
}

const newestFirst = (a: Dated, b: Dated): number =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1);

/** Of the directories of models of either type. */
export const modelOwners: OwnerKind = {
  folder: "models",
  async existing(sql, ids) {
    return [...(await existingModels(sql, ids)), ...(await existingSchemas(sql, ids))];
  },
};
