/**
 * The kernel of one observed choice (Aitchison & Aitken, "Multivariate binary discrimination by
 * the kernel method", Biometrika 63, 1976, with the smoothing of a uniform prior of weight 1 that
 * is shared among the kernels): the observed choice is likelier than each other by a factor of
 * kernels + 1.
 */
export interface CategoricalKernel {
  /** Probability of the observed choice. */
  readonly observed: number;
  /** Probability of each other choice. */
  readonly other: number;
}

/** @param kernels how many there are, the prior's included */
export function categoricalKernel(choices: number, kernels: number): CategoricalKernel {
  const smoothing = 1 / kernels;
  const total = 1 + choices * smoothing;
  return { observed: (1 + smoothing) / total, other: smoothing / total };
}
