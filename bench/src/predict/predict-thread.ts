/** A thread of the bench that predicts its part of the rows with a model of its own. */

import { parentPort, workerData } from "node:worker_threads";
import { loadModel } from "../../../engine/src/model/load.ts";
import { modelFolder } from "../../../engine/src/model/model-folder.ts";
import { numericTable } from "./numeric-table.ts";

const { folder, columns } = workerData as {
  readonly folder: string;
  /** In shared memory. */
  readonly columns: readonly Float64Array[];
};
const model = await loadModel(modelFolder(folder));
parentPort?.on("message", ({ from, to }: { readonly from: number; readonly to: number }) => {
  model.predict(numericTable(columns, from, to));
  parentPort?.postMessage("done");
});
parentPort?.postMessage("ready");
