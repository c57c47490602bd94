/** One split of the rows; lists are ascending. */
export interface Fold {
  readonly train: Uint32Array;
  readonly valid: Uint32Array;
  /** Of a split in the order of time: the training rows of the latest time. */
  readonly latest?: Uint32Array;
}
