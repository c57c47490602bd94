/** Dominance, ranks and hypervolumes of vectors of losses (lower is better). */

export { dominates, type Losses } from "./dominance.ts";
export {
  hypervolume,
  hypervolumeContributions,
  hypervolumeGain,
  referenceBeyond,
} from "./hypervolume.ts";
export { selectByHypervolume } from "./hypervolume-subset.ts";
export { nonDominationRanks, paretoFront, UNRANKED } from "./non-domination-rank.ts";
