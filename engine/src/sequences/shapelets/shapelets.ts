/** Shapelets as they are held. */

/** In the order of dilations. */
export interface Shapelets {
  readonly length: number;
  /** One a shapelet. */
  readonly dilations: Int32Array;
  /** 1 or 0, one a shapelet. */
  readonly normalised: Int32Array;
  readonly thresholds: Float32Array;
  /** Of each shapelet, its first channel among `members`; one more for the end. */
  readonly starts: Int32Array;
  readonly members: Int32Array;
  /** `length` a member. */
  readonly weights: Float32Array;
}

/** Windows that deviate by less, as a share of their mean's size, do not vary but by rounding. */
export const FLAT = 1e-5;
