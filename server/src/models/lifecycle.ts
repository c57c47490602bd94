/** What training does with models: registers them with a job, completes or fails them, learns from them. */

export {
  completeModel,
  deleteModelsExcept,
  findModel,
  insertModel,
  keepModel,
  type NewModel,
  setModelsStatus,
} from "./store.ts";
