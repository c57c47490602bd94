/** What training does to models: registers them with a job, and completes or fails them. */

export {
  completeModel,
  deleteModelsExcept,
  insertModel,
  type NewModel,
  setModelsStatus,
} from "./store.ts";
