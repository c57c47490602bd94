/**
 * How deep a statement, and a column of its result, may nest. DuckDB binds and optimizes nested
 * expressions in time that grows with the cube of their depth, and what nests subqueries in expressions in
 * time that doubles with each, so that a statement of some hundred bytes would hold its slot for as long
 * as it may run. A statement is judged by its syntax tree, before anything is bound.
 */

import { MAX_LEVELS } from "@distillery/engine/arrow";
import type { Field, Schema } from "apache-arrow";
import { StatementError } from "./failure.ts";
import { objectDepth } from "./lossless-json.ts";

/** Of the syntax tree. */
const MAX_TREE_LEVELS = 256;
/** Subqueries within subqueries, where they stand in expressions. */
const MAX_SUBQUERIES = 12;
/** In all of the statement: one may be of those before it. */
const MAX_EXPRESSIONS_IN_WITH = 256;

const tooDeep = (): StatementError =>
  new StatementError(
    "invalid",
    `The statement nests too deeply: its syntax tree may have ${MAX_TREE_LEVELS} levels. A call or an operator within another is one level, a CASE two, a subquery three`,
  );

/** DuckDB's own limits, which lie above these. */
const OF_DUCKDB = /^Max expression depth limit|^memory exhausted at or near/;

/** What is said of a statement that DuckDB does not parse for its depth; null where it has another fault. */
export const depthFault = (message: string): StatementError | null =>
  OF_DUCKDB.test(message) ? tooDeep() : null;

/**
 * To be called before the tree is parsed.
 *
 * @param tree as JSON text
 * @throws StatementError
 */
export function checkTreeDepth(tree: string): void {
  if (objectDepth(tree) > MAX_TREE_LEVELS) throw tooDeep();
}

/** @throws StatementError with the place of the subquery that is one too many */
export function checkSubqueries(count: number, offset: number | null): void {
  if (count <= MAX_SUBQUERIES) return;
  throw new StatementError(
    "invalid",
    `Subqueries in expressions may be nested in ${MAX_SUBQUERIES} levels: join the inner ones, or name them by WITH`,
    offset,
  );
}

/** @param count common table expressions of the whole statement @throws StatementError */
export function checkWith(count: number): void {
  if (count <= MAX_EXPRESSIONS_IN_WITH) return;
  throw new StatementError(
    "invalid",
    `A statement may have ${MAX_EXPRESSIONS_IN_WITH} common table expressions (WITH), those of its subqueries counted`,
  );
}

/** @throws StatementError naming a column that nests deeper than Arrow's schemas are read */
export function checkTypeDepth({ fields }: Schema): void {
  for (const field of fields) {
    const levels = levelsOf(field);
    if (levels <= MAX_LEVELS) continue;
    throw new StatementError(
      "invalid",
      `Column ${JSON.stringify(field.name)} of the result is nested in ${levels} levels of lists, structs or maps; a column may have ${MAX_LEVELS}, its innermost values counted`,
    );
  }
}

/** Without recursion, since types nest as they like; a map is two levels. */
function levelsOf(field: Field): number {
  let levels = 0;
  for (let level: readonly Field[] = [field]; level.length > 0; levels++) {
    level = level.flatMap(({ type }) => type.children ?? []);
  }
  return levels;
}
