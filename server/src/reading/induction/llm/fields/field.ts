/** A field as a language model proposes it, once its quotes were found in the documents. */

import type { Sighting } from "../../inducer.ts";
import type { ValueKind } from "../../values/value.ts";

/** What one document is seen to say of a field. */
export interface FieldSighting extends Sighting {
  /** Where the line or sentence stands that states it. */
  readonly quote: { readonly start: number; readonly end: number };
}

export interface LlmField {
  readonly name: string;
  readonly question: string;
  readonly kind: ValueKind;
  readonly unit: string | null;
  readonly enum: readonly string[];
  readonly multiple: boolean;
  /** In the documents' order, then by place. */
  readonly sightings: readonly FieldSighting[];
}

/** Something proposed and dropped, for `reasoning/`. */
export interface Rejected {
  /** Which document, where it is known. */
  readonly documentId: string | null;
  readonly name: string;
  readonly reason: string;
}
