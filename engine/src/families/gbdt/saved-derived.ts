/** Derived columns among the tensors of a saved model: their features, and their tables one after another. */

import type { Feature } from "../../data/encoded.ts";
import { codeCount } from "../../data/wide-columns.ts";
import { checkDerived, type DerivedColumn } from "../../trees/derived-columns.ts";
import type { SavedModel } from "../family.ts";

type Tensors = SavedModel["tensors"];

export function derivedTensors(derived: readonly DerivedColumn[]): Tensors {
  if (derived.length === 0) return {};
  const tables = new Uint8Array(derived.reduce((sum, { table }) => sum + table.length, 0));
  let at = 0;
  for (const { table } of derived) {
    tables.set(table, at);
    at += table.length;
  }
  return {
    derived_feature: Int32Array.from(derived, ({ feature }) => feature),
    derived_tables: tables,
  };
}

/**
 * The derived columns, and the other tensors. Models without derived columns have no tensors of them.
 *
 * @throws Error where they are not those of such features
 */
export function loadDerived(
  { derived_feature: of, derived_tables: tables, ...tensors }: Tensors,
  features: readonly Feature[],
): { readonly derived: readonly DerivedColumn[]; readonly tensors: Tensors } {
  if (of === undefined && tables === undefined) return { derived: [], tensors };
  if (!(of instanceof Int32Array && tables instanceof Uint8Array)) {
    throw new Error('The stored "derived_feature" and "derived_tables" are damaged.');
  }
  let at = 0;
  const derived = Array.from(of, (feature): DerivedColumn => {
    const source = features.at(feature);
    const length = source ? codeCount(source) : 0;
    at += length;
    return { feature, table: tables.slice(at - length, at) };
  });
  checkDerived(derived, features);
  if (at !== tables.length) throw new Error('The stored "derived_tables" are damaged.');
  return { derived, tensors };
}
