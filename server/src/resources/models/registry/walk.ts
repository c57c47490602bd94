/** Where aliases lead: each points to a model, or to another alias. */

import { aliasReference } from "../model-id.ts";

export interface AliasName {
  readonly name: string;
  readonly alias: string;
}

/** What an alias points to: a model, by its id, or another alias. */
export type AliasTarget =
  | { readonly model_id: string; readonly target_name: null; readonly target_alias: null }
  | { readonly model_id: null; readonly target_name: string; readonly target_alias: string };

export type Walk =
  | { readonly kind: "model"; readonly modelId: string }
  /** This alias is not there. */
  | { readonly kind: "missing"; readonly at: string }
  /** The aliases in the order in which they lead back to the first. */
  | { readonly kind: "cycle"; readonly path: readonly string[] }
  | { readonly kind: "long"; readonly most: number };

/** So many aliases in a row. */
const MOST_HOPS = 32;

/**
 * Follows aliases to the end.
 *
 * @param find what an alias points to; null = there is none
 */
export async function walkAliases(
  from: AliasName,
  find: (at: AliasName) => Promise<AliasTarget | null> | AliasTarget | null,
): Promise<Walk> {
  const path: string[] = [];
  for (let at = from; ; ) {
    const here = aliasReference(at.name, at.alias);
    if (path.includes(here)) return { kind: "cycle", path: [...path, here] };
    if (path.length === MOST_HOPS) return { kind: "long", most: MOST_HOPS };
    path.push(here);
    const target = await find(at);
    if (target === null) return { kind: "missing", at: here };
    if (target.model_id !== null) return { kind: "model", modelId: target.model_id };
    at = { name: target.target_name, alias: target.target_alias };
  }
}
