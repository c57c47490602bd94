/**
 * Derived columns among the tensors of a saved model: their features, and one after another the tables of those that
 * have one, and the edges of the others.
 */

import type { Feature } from "../../data/encoded.ts";
import { codeCount } from "../../data/wide-columns.ts";
import {
  checkDerived,
  type DerivedColumn,
  type EdgesColumn,
  hasEdges,
  type TableColumn,
} from "../../trees/derived-columns.ts";
import type { SavedModel, TensorArray } from "../family.ts";

type Tensors = SavedModel["tensors"];

export function derivedTensors(derived: readonly DerivedColumn[]): Tensors {
  if (derived.length === 0) return {};
  const tables = derived.flatMap((column) => (hasEdges(column) ? [] : [column.table]));
  const edges = derived.flatMap((column) => (hasEdges(column) ? [column.edges] : []));
  return {
    derived_feature: Int32Array.from(derived, ({ feature }) => feature),
    derived_tables: joined(tables, (length) => new Uint8Array(length)),
    ...(edges.length > 0 && {
      // 0 of a column that has a table.
      derived_edge_counts: Int32Array.from(derived, (column) =>
        hasEdges(column) ? column.edges.length : 0,
      ),
      derived_edges: joined(edges, (length) => new Float64Array(length)),
    }),
  };
}

function joined<Part extends Uint8Array | Float64Array>(
  parts: readonly Part[],
  make: (length: number) => Part,
): Part {
  const all = make(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * The derived columns, and the other tensors. Models without derived columns have no tensors of them.
 *
 * @throws Error where they are not those of such features
 */
export function loadDerived(
  {
    derived_feature: of,
    derived_tables: tables,
    derived_edge_counts: counts,
    derived_edges: edges,
    ...tensors
  }: Tensors,
  features: readonly Feature[],
): { readonly derived: readonly DerivedColumn[]; readonly tensors: Tensors } {
  if (of === undefined && tables === undefined) return { derived: [], tensors };
  if (!(of instanceof Int32Array && tables instanceof Uint8Array) || !isPair(of, counts, edges)) {
    throw new Error("The stored derived columns are damaged.");
  }
  let [table, edge] = [0, 0];
  const derived = Array.from(of, (feature, j): DerivedColumn => {
    const count = counts instanceof Int32Array ? counts[j] : 0;
    if (count > 0 && edges instanceof Float64Array) {
      edge += count;
      return { feature, edges: edges.slice(edge - count, edge) } satisfies EdgesColumn;
    }
    const source = features.at(feature);
    const length = source ? codeCount(source) : 0;
    table += length;
    return { feature, table: tables.slice(table - length, table) } satisfies TableColumn;
  });
  checkDerived(derived, features);
  if (table !== tables.length || edge !== (edges?.length ?? 0)) {
    throw new Error("The stored derived columns are damaged.");
  }
  return { derived, tensors };
}

/** Edges are there with their counts, one a column, or neither is. */
function isPair(
  of: Int32Array,
  counts: TensorArray | undefined,
  edges: TensorArray | undefined,
): boolean {
  if (counts === undefined && edges === undefined) return true;
  const areThere = counts instanceof Int32Array && edges instanceof Float64Array;
  return areThere && counts.length === of.length;
}
