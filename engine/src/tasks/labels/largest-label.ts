/**
 * Labels are between plus and minus this, and unequal ones differ by more than its inverse: boosting
 * keeps their gradients in 32-bit floats, and scores square them.
 */
export const LARGEST_LABEL = 1e35;
