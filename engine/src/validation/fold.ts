/** One split of the rows; lists are ascending. */
export interface Fold {
  readonly train: Uint32Array;
  readonly valid: Uint32Array;
}
