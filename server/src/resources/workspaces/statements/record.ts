/** Saved statements as the API takes and shows them, and the only place of their SQL. */

import { z } from "zod";
import { int64Text } from "../../../api/http/bodies/int64.ts";
import { maskOf } from "../../../api/masks/mask-of.ts";
import { displayNameOrEmpty } from "../../../platform/input/display-name.ts";
import { optionalName, STATEMENT_NAME, statementName } from "../names.ts";
import { type OwnedRow, OwnedStore } from "../owned-store.ts";
import { OUTPUT_ONLY, sentRevision, sentTimes } from "../record.ts";

export interface StatementRow extends OwnedRow {
  readonly title: string;
  readonly sql: string;
}

export const statementStore = new OwnedStore<StatementRow>("saved_statements", ["title", "sql"]);

const TITLE_LIMIT = 200;
const SQL_LIMIT = 100_000;

const title = displayNameOrEmpty(TITLE_LIMIT).meta({
  description: "What people call it; empty in a request = its id.",
});

export const statementRequest = z
  .strictObject({
    name: optionalName(STATEMENT_NAME),
    title: title.default(""),
    sql: z.string().min(1).max(SQL_LIMIT).meta({
      description: "The statement. It is kept as it was sent, and looked at only when it is run.",
    }),
    revision: sentRevision,
    ...sentTimes,
  })
  .meta({ id: "SavedStatementRequest" });

export const statementFields = maskOf(statementRequest, { outputOnly: OUTPUT_ONLY });

export const statementSchema = z
  .object({
    name: z.string(),
    title,
    sql: z.string().meta({ description: "The statement, as it was sent." }),
    revision: int64Text,
    createTime: z.iso.datetime(),
    updateTime: z.iso.datetime(),
  })
  .meta({ id: "SavedStatement" });

export type SavedStatement = z.output<typeof statementSchema>;

export const toStatement = (workspace: string, row: StatementRow): SavedStatement => ({
  name: statementName(workspace, row.name),
  title: row.title,
  sql: row.sql,
  revision: String(row.revision),
  createTime: row.created_at.toISOString(),
  updateTime: row.updated_at.toISOString(),
});
