/** Functions that a model is a sum of, so that they can be drawn: in terms that name no family. */

/** The cells of a term: the bins of one feature, or a grid over the bins of two. */
export interface ShapeTerm {
  /** One feature, or two: the rows and the columns of the grid. */
  readonly features: readonly number[];
  /** Of two features: the line of the grid that each bin lies in, the missing one too; else empty. */
  readonly lines: readonly Uint8Array[];
  /** Bins of one feature, the missing one last; of two the rows of the grid. */
  readonly height: number;
  /** 1 of one feature. */
  readonly width: number;
}

export interface ShapeFunction extends ShapeTerm {
  /** Cells × outputs: what it adds to the margins. Its mean over the learned rows is 0. */
  readonly values: Float64Array;
  /** Likewise: standard deviation over the fits whose mean it is. */
  readonly deviations: Float64Array;
  /** One a cell: the weight of the learned rows. */
  readonly covers: Float64Array;
}
