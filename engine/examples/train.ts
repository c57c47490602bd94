/** Trains on a file, follows the run, then predicts and explains rows of a program. */

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel, modelFolder, train } from "@distillery/engine";

const folder = await mkdtemp(join(tmpdir(), "distillery-"));
const houses = ["area,rooms,district,price"];
for (let i = 0; i < 400; i++) {
  const area = 40 + ((i * 37) % 120);
  const district = ["harbour", "hill", "park"][i % 3];
  const premium = { harbour: 90, hill: 20, park: 55 }[district] ?? 0;
  houses.push(`${area},${1 + (i % 5)},${district},${area * 3 + premium + ((i * 7919) % 23)}`);
}
await writeFile(join(folder, "houses.csv"), houses.join("\n"));

const run = train(
  { path: join(folder, "houses.csv"), format: "csv" },
  {
    task: { taskKind: "regression", labelColumn: "price" },
    nTrials: 2,
    nCvSplits: 4,
    timeBudgetS: 30,
  },
  { folder: join(folder, "run") },
);
for await (const { event, foldsDone, foldsPlanned } of run) {
  if (event.type === "fold_finished" && foldsDone % 10 === 0) {
    console.log(`${foldsDone} of ${foldsPlanned} fits`);
  }
}
await run;

// Any process can load what a run left in its folder.
const model = await loadModel(modelFolder(join(folder, "run/model")));
const rows = [
  { area: 100, rooms: 3, district: "harbour" },
  { area: 60, rooms: 2, district: "hill" },
];
const { values, intervals } = model.predict(rows);
const { columns, contributions } = model.explain(rows);
for (const [i, row] of rows.entries()) {
  const from = intervals?.bounds?.lower[i].toFixed(0);
  const to = intervals?.bounds?.upper[i].toFixed(0);
  console.log(`${row.district}: ${values[i].toFixed(0)}, likely from ${from} to ${to}`);
  const [moved] = contributions[i];
  console.log(columns.map((column, j) => `  ${column}: ${moved[j].toFixed(0)}`).join("\n"));
}
console.log(`The report: ${join(folder, "run/report/report.html")}`);
