/** How trees that grow on a device as a whole lie there, beside `kernels/assembly/growing/record-layout.ts`. */

export const NO_SPLIT = 0xffff_ffff;

/** u32 before the list of open nodes: records, histograms, open nodes, leaves, numbers, 1 = the tree is grown, steps, stamp. */
export const STATE_HEAD_WORDS = 8;
export const STATE_RECORDS = 0;
export const STATE_IS_GROWN = 5;
export const STATE_STEPS = 6;
export const STATE_STAMP = 7;

/** u32 of the uniform of all its shaders; of them one f32, two f32, 1 = steps look ahead, and f64 from the last one on. */
export const GROWTH_WORDS = 36;
export const ROUGH_ALPHA = 8;
export const ROUGH_LAMBDAS = 13;
export const LOOKS_AHEAD = 15;
export const GROWTH_NUMBERS = 16;

/** u32 of a listed feature: its number, first entry, value bins, 1 = categorical. */
export const FEATURE_WORDS = 4;
/** Bytes of what a feature offers a node. */
export const candidateBytes = (hasCategories: boolean): number => (hasCategories ? 64 : 32);

/** Nodes of a tree of so many leaves that are split at most: those of the tree, and open ones that it never splits. */
const mostExpanded = (leaves: number): number => 2 * leaves - 1;
/** And their records. */
export const mostRecords = (leaves: number): number => 1 + 2 * mostExpanded(leaves);
/** Histograms that are kept: a node that is split leaves its own to the larger child. */
export const mostHistograms = (leaves: number): number => 1 + mostExpanded(leaves);
/** The list of open nodes. */
export const stateWords = (leaves: number): number => STATE_HEAD_WORDS + 2 * leaves + 2;
