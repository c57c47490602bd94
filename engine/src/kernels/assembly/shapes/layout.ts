/** What the kernels of shape functions are told by number. Compiled twice, as `layout.ts`: plain constants only. */

/** Losses of `shapePass`. */
export const SQUARED = 0;
export const LOGISTIC = 1;
export const SOFTMAX = 2;
/** Hessians are the weights, gradients are 0, and nothing else is looked at. */
export const COVERS = 3;

/** Kinds of terms of `shapeSteps`. */
export const NUMBER = 0;
export const CATEGORIES = 1;
export const PAIR = 2;
