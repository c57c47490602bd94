/** Forecasts two series by the local methods and says how sure it is. */

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { predict, train } from "@distillery/engine";

const folder = await mkdtemp(join(tmpdir(), "distillery-"));
const sales = ["month,shop,sold"];
for (let i = 0; i < 72; i++) {
  const month = new Date(Date.UTC(2019, i, 1)).toISOString().slice(0, 10);
  const season = Math.sin((2 * Math.PI * i) / 12);
  sales.push(`${month},north,${(100 + i + 20 * season + ((i * 7919) % 7)).toFixed(1)}`);
  sales.push(`${month},south,${(60 + 10 * season + ((i * 104729) % 5)).toFixed(1)}`);
}
await writeFile(join(folder, "sales.csv"), sales.join("\n"));

await train(
  { path: join(folder, "sales.csv"), format: "csv" },
  {
    task: {
      taskKind: "forecasting",
      labelColumn: "sold",
      timeColumn: "month",
      seriesColumns: ["shop"],
      horizon: 6,
    },
    hpoSpace: { models: [{ family: "theta" }, { family: "ets" }, { family: "seasonal_naive" }] },
    nTrials: 1,
  },
  { folder: join(folder, "run") },
);
const { keys, values, intervals } = await predict({
  folder: join(folder, "run/model"),
  rows: { horizon: 3 },
});
for (const [i, key] of (keys ?? []).entries()) {
  const from = intervals?.bounds?.lower[i].toFixed(1);
  const to = intervals?.bounds?.upper[i].toFixed(1);
  console.log(`${JSON.stringify(key)}: ${values[i].toFixed(1)}, likely from ${from} to ${to}`);
}
