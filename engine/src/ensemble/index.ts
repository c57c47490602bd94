/** From many models' predictions to one. */

export { blend } from "./blend.ts";
export {
  type GreedySelection,
  greedySelection,
  NoCandidateError,
  type SelectionRequest,
  type SelectionStep,
} from "./greedy-selection.ts";
