/** What metrics are made of; the files beside are one each. Which of them fit a task: `tasks/`. */

export { type Metric, toLoss } from "./metric.ts";
