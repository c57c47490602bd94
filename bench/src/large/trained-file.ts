/** Trains boosting from a file in a process of its own, as `train` does, and writes its seconds and its peak of memory as JSON. */

import process from "node:process";
import { train } from "../../../engine/src/index.ts";

const [path, rounds, threads] = process.argv.slice(2);
const begun = performance.now();
const since = (): number => (performance.now() - begun) / 1000;
const used = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const peak = (): number => process.resourceUsage().maxRSS * 1024;
const points: Record<string, { seconds: number; cpu: number; peak: number; held: number }> = {};
const run = await train(
  { path, format: "parquet" },
  {
    task: { taskKind: "binclass", labelColumn: "y" },
    nTrials: 1,
    nCvSplits: null,
    ensemble: false,
    hpoSpace: {
      models: [
        {
          family: "gbdt",
          fixed: {
            n_estimators: Number(rounds),
            early_stopping_rounds: 0,
            num_leaves: 255,
            learning_rate: 0.1,
          },
        },
      ],
    },
  },
  {
    threads: Number(threads),
    onEvent({ type }) {
      points[type] = {
        seconds: since(),
        cpu: used(),
        peak: peak(),
        held: process.memoryUsage.rss(),
      };
    },
  },
);
points["loaded"] = { seconds: since(), cpu: used(), peak: peak(), held: process.memoryUsage.rss() };
const [fold] = run.state.trials[0].folds;
process.stdout.write(
  JSON.stringify({
    points,
    fitSeconds: fold?.state === "finished" ? fold.seconds : null,
    fitBytes: fold?.state === "finished" ? fold.bytes : null,
    loss: run.state.trials[0].scores?.["log_loss"],
  }),
);
