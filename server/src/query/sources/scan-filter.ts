/**
 * What a query asks of the rows of one table, as its plan says: a small frozen tree over the table's
 * columns. Values are exact: integers beyond 2^53 and decimals are texts.
 */

import { z } from "zod";

export type ScanValue =
  | { readonly type: "boolean"; readonly value: boolean }
  /** Integers and decimals, written out. */
  | { readonly type: "number"; readonly value: string }
  /** Binary floating point, never NaN or infinite. */
  | { readonly type: "double"; readonly value: number }
  | { readonly type: "text"; readonly value: string }
  /** `2024-02-29`. */
  | { readonly type: "date"; readonly value: string }
  /** `2024-02-29T10:05:00.000001`, without a zone. */
  | { readonly type: "timestamp"; readonly value: string }
  /** The same in UTC, with a `Z`. */
  | { readonly type: "timestamptz"; readonly value: string };

export const SCAN_OPERATORS = ["eq", "ne", "lt", "le", "gt", "ge"] as const;
export type ScanOperator = (typeof SCAN_OPERATORS)[number];

/** SQL's three-valued logic: a comparison with NULL is not met. */
export type ScanFilter =
  | {
      readonly kind: "comparison";
      readonly column: string;
      readonly op: ScanOperator;
      readonly value: ScanValue;
    }
  | { readonly kind: "in"; readonly column: string; readonly values: readonly ScanValue[] }
  | { readonly kind: "is_null" | "is_not_null"; readonly column: string }
  | { readonly kind: "and" | "or"; readonly filters: readonly ScanFilter[] };

const scanValueSchema: z.ZodType<ScanValue> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("boolean"), value: z.boolean() }),
  z.object({ type: z.literal("number"), value: z.string().regex(/^-?\d+(\.\d+)?$/) }),
  z.object({ type: z.literal("double"), value: z.number() }),
  z.object({ type: z.enum(["text", "date", "timestamp", "timestamptz"]), value: z.string() }),
]);

export const scanFilterSchema: z.ZodType<ScanFilter> = z.lazy(() =>
  z.discriminatedUnion("kind", [
    z.object({
      kind: z.literal("comparison"),
      column: z.string(),
      op: z.enum(SCAN_OPERATORS),
      value: scanValueSchema,
    }),
    z.object({ kind: z.literal("in"), column: z.string(), values: z.array(scanValueSchema) }),
    z.object({ kind: z.enum(["is_null", "is_not_null"]), column: z.string() }),
    z.object({ kind: z.enum(["and", "or"]), filters: z.array(scanFilterSchema) }),
  ]),
);
