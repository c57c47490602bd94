/** Answers rows by a model archive: `node predict.js model.zip '[{"area": 100}]'`. */

import process from "node:process";
import { pathToFileURL } from "node:url";
import { loadModel, RowsError } from "@distillery/predict";

const [archive = "model.zip", rows = "[]"] = process.argv.slice(2);
const model = await loadModel(pathToFileURL(archive));
console.log(`${model.task.kind} of ${model.labelColumn}`);
try {
  const { predictions, warnings } = model.predict(JSON.parse(rows));
  for (const warning of warnings) console.warn(warning);
  for (const prediction of predictions) console.log(JSON.stringify(prediction));
} catch (error) {
  if (!(error instanceof RowsError)) throw error;
  for (const { loc, msg } of error.detail) console.error(`${loc.join(".")}: ${msg}`);
  process.exitCode = 1;
}
