/** What selecting an ensemble costs: 60 candidates × 20,000 rows, 40 steps. */

import { Bench } from "tinybench";
import { CounterRandom, deriveKey } from "../../engine/src/compute/random.ts";
import { greedySelection } from "../../engine/src/ensemble/index.ts";
import { metricByName } from "../../engine/src/tasks/fitting-metrics.ts";

const CANDIDATES = 60;
const ROWS = 20_000;

/** One task a metric; latencies are of one whole selection. */
export async function benchEnsemble(): Promise<Bench> {
  const random = new CounterRandom(deriveKey(0, "ensemble"));
  const target = Float64Array.from({ length: ROWS }, () => random.nextInteger(2));
  const candidates = Array.from({ length: CANDIDATES }, () =>
    target.map((y) => 0.2 * y + 0.8 * random.nextFloat()),
  );
  const bench = new Bench({
    name: "ensemble",
    iterations: 3,
    time: 0,
    warmupIterations: 1,
    warmupTime: 0,
  });
  for (const name of ["rmse", "log_loss", "roc_auc"]) {
    const metric = metricByName(name);
    bench.add(`${name}, ${CANDIDATES} candidates × ${ROWS} rows`, () => {
      greedySelection({ candidates, target, weights: null, outputs: 1, metric });
    });
  }
  await bench.run();
  return bench;
}
