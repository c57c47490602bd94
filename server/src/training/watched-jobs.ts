/** What the jobs of all kinds (`jobs/`) ask of training. */

export { followTraining, type TrainingMessage } from "./follow.ts";
export { metricsSchema } from "./metrics.ts";
export { trainingMetrics, trainingResult, trainingResultSchema } from "./result.ts";
export { findJob as findTrainingJob } from "./store.ts";
