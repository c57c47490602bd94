/**
 * Resource names of the SQL environment: `workspaces/{workspace}`, under it `connectors/{connector}`
 * `statements/{statement}` and `catalogs/{catalog}/schemas/{schema}/tables/{table}`. A resource's id is
 * the last segment.
 */
import { z } from "zod";
import { unprocessable } from "../../platform/input/problem.ts";
import { CONNECTOR_SEGMENT } from "../connectors/connector.ts";

const WORKSPACE = "[a-z0-9](?:[a-z0-9._~-]*[a-z0-9])?";
const SEGMENT = "[a-z][a-z0-9_]{0,62}";

/** The longest workspace or connector segment; the interface sets no bound of its own. */
const WORKSPACE_LIMIT = 255;

export const WORKSPACE_ID = new RegExp(`^${WORKSPACE}$`);
/** Catalog, schema and table segments: what SQL sees. */
export const SEGMENT_ID = new RegExp(`^${SEGMENT}$`);

export const WORKSPACE_NAME = new RegExp(`^workspaces/${WORKSPACE}$`);
export const CONNECTOR_NAME = new RegExp(
  `^workspaces/${WORKSPACE}/connectors/${CONNECTOR_SEGMENT}$`,
);
export const CATALOG_NAME = new RegExp(`^workspaces/${WORKSPACE}/catalogs/${SEGMENT}$`);
export const SCHEMA_NAME = new RegExp(
  `^workspaces/${WORKSPACE}/catalogs/${SEGMENT}/schemas/${SEGMENT}$`,
);
export const TABLE_NAME = new RegExp(
  `^workspaces/${WORKSPACE}/catalogs/${SEGMENT}/schemas/${SEGMENT}/tables/${SEGMENT}$`,
);

export const STATEMENT_NAME = new RegExp(`^workspaces/${WORKSPACE}/statements/${SEGMENT}$`);

/** The workspace of a request that names none. */
export const DEFAULT_WORKSPACE = "default";

export const workspaceName = (workspace: string): string => `workspaces/${workspace}`;
export const catalogName = (workspace: string, catalog: string): string =>
  `${workspaceName(workspace)}/catalogs/${catalog}`;
export const schemaName = (workspace: string, catalog: string, schema: string): string =>
  `${catalogName(workspace, catalog)}/schemas/${schema}`;
export const tableName = (
  workspace: string,
  catalog: string,
  schema: string,
  table: string,
): string => `${schemaName(workspace, catalog, schema)}/tables/${table}`;

export const statementName = (workspace: string, statement: string): string =>
  `${workspaceName(workspace)}/statements/${statement}`;

/** The id of a resource by its name. */
export const lastSegment = (name: string): string => name.slice(name.lastIndexOf("/") + 1);

/** The workspace and the connector of a name that matches `CONNECTOR_NAME`. */
export function connectorParts(name: string): { workspace: string; connector: string } {
  const [, workspace = "", , connector = ""] = name.split("/");
  return { workspace, connector };
}

/** The parameters of the paths. */
export const workspaceId = z.string().max(WORKSPACE_LIMIT).regex(WORKSPACE_ID).meta({
  description: "The last segment of the workspace's name.",
});
export const segmentId = z.string().regex(SEGMENT_ID);

/** A connector's name in a request. */
export const connectorRef = z
  .string()
  .max(WORKSPACE_LIMIT * 2 + 25)
  .regex(CONNECTOR_NAME)
  .meta({ description: "`workspaces/{workspace}/connectors/{connector}`" });

/** A name in a request: the pattern, or empty where the path says it. */
export const optionalName = (pattern: RegExp) => emptyOr(pattern, 1024);

/** Text of the pattern, or empty: the default. */
export const emptyOr = (pattern: RegExp, limit = 255) =>
  z
    .string()
    .max(limit)
    .superRefine((value, ctx) => {
      if (value === "" || pattern.test(value)) return;
      ctx.addIssue({
        code: "custom",
        message: `String should match pattern '${pattern.source}'`,
        params: { type: "string_pattern_mismatch", ctx: { pattern: pattern.source } },
      });
    })
    .default("")
    .meta({ pattern: `^$|${pattern.source}` });

/**
 * The id of what is created: of the query, or of the body's name. The name must be the path's.
 *
 * @param parameter the query member, such as `catalogId`
 * @param fullName makes the full name of an id under the path
 * @throws UnprocessableError at `query.<parameter>` or `body.name`
 */
export function createdId(
  parameter: string,
  id: string | undefined,
  name: string,
  fullName: (id: string) => string,
): string {
  if (id === undefined && name === "") {
    throw unprocessable(["query", parameter], "Field required", { type: "missing" });
  }
  const chosen = id ?? lastSegment(name);
  assertName(name, fullName(chosen));
  return chosen;
}

/** A body's name, where it has one, must be that of the path. @throws UnprocessableError */
export function assertName(name: string, expected: string): void {
  if (name === "" || name === expected) return;
  throw unprocessable(["body", "name"], `the path names '${expected}'`, { input: name });
}
