/** What training does to models: registers them with a job, and completes or fails them. */

export { completeModel, insertModel, type NewModel, setModelStatus } from "./store.ts";
