/**
 * The filter as it comes from outside. The tag may be left out where the shape says it: `column`
 * makes a comparison, `exprs` a bool, `expr` a not. Depth and size are checked before anything
 * recurses, so that no request can exhaust the stack.
 */

import { z } from "zod";
import {
  BoolNode,
  COMPARISON_OPERATORS,
  ComparisonNode,
  type FilterNode,
  MAX_FILTER_DEPTH,
  MAX_FILTER_NODES,
  MAX_LISTED_VALUES,
  NotNode,
} from "./filter-node.ts";

const integer = z
  .strictObject({ integer: z.string().regex(/^-?\d{1,400}$/) })
  .describe("A whole number beyond 2^53 by its digits, for callers whose numbers are doubles.");
const scalar = z.union([z.string(), z.number(), z.boolean(), integer]);

const comparison = z
  .strictObject({
    kind: z.literal("comparison"),
    column: z.string().min(1),
    op: z.enum(COMPARISON_OPERATORS),
    value: z.union([scalar, z.array(scalar).min(1).max(MAX_LISTED_VALUES), z.null()]).optional(),
  })
  .superRefine(({ op, value }, context) => {
    const fault = valueFault(op, value);
    if (fault !== null) context.addIssue({ code: "custom", path: ["value"], message: fault });
  })
  .transform(({ column, op, value }) =>
    ComparisonNode.create(column, op, op === "is_null" || op === "is_not_null" ? null : value),
  )
  .meta({ id: "Comparison" });

function valueFault(op: ComparisonNode["op"], value: unknown): string | null {
  if (op === "is_null" || op === "is_not_null") return null;
  if (op === "in" || op === "not_in") {
    return Array.isArray(value) ? null : `${op} takes a list of values`;
  }
  if (value === null || value === undefined) {
    return `${op} takes a value; ask for missing ones with is_null`;
  }
  return Array.isArray(value) ? `${op} takes one value; for a list use in` : null;
}

const bool = z
  .strictObject({
    kind: z.literal("bool"),
    op: z.enum(["and", "or"]),
    exprs: z.array(z.lazy(() => node)).min(1),
  })
  .transform(({ op, exprs }) => BoolNode.create(op, exprs))
  .meta({ id: "BoolExpr" });

const not = z
  .strictObject({ kind: z.literal("not"), expr: z.lazy(() => node) })
  .transform(({ expr }) => NotNode.create(expr))
  .meta({ id: "Not" });

const node: z.ZodType<FilterNode, unknown> = z
  .discriminatedUnion("kind", [comparison, bool, not])
  .meta({ id: "RowFilter" });

/** Parses untrusted JSON into a frozen filter. */
export const filterSchema: z.ZodType<FilterNode, unknown> = z.preprocess((value, context) => {
  const fault = sizeFault(value);
  if (fault !== null) {
    context.addIssue({ code: "custom", message: fault });
    return z.NEVER;
  }
  const shapeless = findShapeless(value);
  if (shapeless === null) return tagged(value);
  context.addIssue({
    code: "custom",
    path: [...shapeless.path],
    message: shapelessFault(shapeless),
  });
  return z.NEVER;
}, node);

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a node holds that may be nodes again. */
function inner(value: unknown): readonly unknown[] {
  if (!isObject(value)) return [];
  const exprs = Array.isArray(value["exprs"]) ? value["exprs"] : [];
  return Object.hasOwn(value, "expr") ? [...exprs, value["expr"]] : exprs;
}

function sizeFault(root: unknown): string | null {
  let level: readonly unknown[] = [root];
  let nodes = 0;
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_FILTER_DEPTH) {
      return `the filter is nested more than ${MAX_FILTER_DEPTH} levels deep`;
    }
    nodes += level.length;
    if (nodes > MAX_FILTER_NODES) return `the filter has more than ${MAX_FILTER_NODES} nodes`;
    level = level.flatMap(inner);
  }
  return null;
}

interface Shapeless {
  readonly path: readonly (string | number)[];
  readonly node: Readonly<Record<string, unknown>>;
}

/** The first node whose kind neither its tag nor its shape says. */
function findShapeless(value: unknown, path: readonly (string | number)[] = []): Shapeless | null {
  if (!isObject(value)) return null;
  if (value["kind"] === undefined && kindOfShape(value) === undefined) return { path, node: value };
  const exprs = Array.isArray(value["exprs"]) ? value["exprs"] : [];
  for (const [index, expr] of exprs.entries()) {
    const found = findShapeless(expr, [...path, "exprs", index]);
    if (found !== null) return found;
  }
  return findShapeless(value["expr"], [...path, "expr"]);
}

function shapelessFault({ node }: Shapeless): string {
  const { op } = node;
  if (op === "and" || op === "or") return `${op} takes its filters in a list named exprs`;
  return "a filter is a comparison with column, op and value, others joined by op (and, or) in exprs, or the negation of expr";
}

/** Of a node without a tag. */
function kindOfShape(node: Readonly<Record<string, unknown>>): FilterNode["kind"] | undefined {
  if (Object.hasOwn(node, "column")) return "comparison";
  if (Object.hasOwn(node, "exprs")) return "bool";
  return Object.hasOwn(node, "expr") ? "not" : undefined;
}

/** The same with the tags that the shapes imply. */
function tagged(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = { ...value };
  if (Array.isArray(copy["exprs"])) copy["exprs"] = copy["exprs"].map(tagged);
  if (Object.hasOwn(copy, "expr")) copy["expr"] = tagged(copy["expr"]);
  if (copy["kind"] !== undefined) return copy;
  const kind = kindOfShape(copy);
  return kind === undefined ? copy : { kind, ...copy };
}
