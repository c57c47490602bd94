/** Items as a table or a receipt lists them, by columns. */

export interface ItemCell {
  readonly text: string;
  /** Offsets of the document's text; of its first piece. */
  readonly start: number;
  readonly end: number;
  readonly page: number;
}

/** By the column's number. */
export type ItemRow = ReadonlyMap<number, ItemCell>;

export interface ItemColumn {
  readonly column: number;
  /** As written. */
  readonly header: string;
  /** `labelKey(header)`. */
  readonly key: string;
}

export interface ItemTable {
  readonly columns: readonly ItemColumn[];
  /** At least one. */
  readonly rows: readonly ItemRow[];
}
