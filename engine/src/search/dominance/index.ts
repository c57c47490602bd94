/** Dominance, ranks and hypervolumes of vectors of losses (lower is better). */

export { dominates, type Losses } from "./dominance.ts";
export { hypervolume, hypervolumeContributions, referenceBeyond } from "./hypervolume.ts";
export { selectByHypervolume } from "./hypervolume-subset.ts";
export { nonDominationRanks, paretoFront } from "./non-domination-rank.ts";
