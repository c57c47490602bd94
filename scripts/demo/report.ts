/** What the training gave, for the terminal. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Api } from "./api.ts";
import type { Split } from "./bike-sharing.ts";
import { bar, table } from "./text.ts";
import type { Metrics } from "./train.ts";

/** Where the report is to be looked at: on the server, or in a file beside it where the server is about to end. */
export async function showReport(uri: string, name: string, ends: boolean): Promise<void> {
  let place = uri;
  if (ends) {
    const response = await fetch(uri);
    if (!response.ok)
      throw new Error(`The report could not be read: ${response.status} of ${uri}.`);
    place = join(".distillery", `${name}-report.html`);
    await writeFile(place, await response.text());
  }
  console.log(`\nThe whole story, to open in a browser:\n\n  ${place}`);
}

interface ModelRecord {
  readonly members: readonly {
    readonly family: string;
    readonly trial: number;
    readonly weight: number;
  }[];
  readonly card: {
    readonly importance: {
      readonly permutation: readonly { readonly column: string; readonly importance: number }[];
    };
  };
}

interface Prediction {
  readonly value: number;
  readonly interval: readonly [number, number] | null;
}

interface Explanations {
  readonly explanations: readonly {
    readonly base_value: number;
    readonly prediction: number;
    readonly contributions: Readonly<Record<string, number>>;
  }[];
}

export function showLeaderboard(metrics: Metrics): void {
  const finished = metrics.trials
    .flatMap(({ values, ...trial }) => (values ? [{ ...trial, values }] : []))
    .sort((a, b) => a.values["rmse"] - b.values["rmse"]);
  console.log("\nLeaderboard (mean over folds)");
  const rows = finished.slice(0, 10).map((trial, index) => {
    const folds = trial.fold_values.flatMap((fold) => (fold ? [fold["rmse"]] : []));
    const mean = trial.values["rmse"];
    const spread = Math.sqrt(
      folds.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, folds.length - 1),
    );
    return [
      String(index + 1),
      trial.family,
      String(trial.number),
      mean.toFixed(2),
      `± ${spread.toFixed(2)}`,
      trial.values["r2"].toFixed(4),
    ];
  });
  console.log(table([["", "family", "trial", "rmse", "", "r2"], ...rows], [0, 2, 3, 4, 5]));
}

export async function showModel(api: Api, modelId: string, metrics: Metrics): Promise<void> {
  const model = await api.get<ModelRecord>(`/v1/models/${modelId}`);
  const weights = new Map<string, number>();
  for (const { family, trial, weight } of model.members) {
    const name = `${family} (trial ${trial})`;
    weights.set(name, (weights.get(name) ?? 0) + weight);
  }
  console.log("\nThe ensemble");
  const members = [...weights].sort((a, b) => b[1] - a[1]);
  // A blend of values may have been made wider, so that its weights do not sum to 1.
  const total = members.reduce((sum, [, weight]) => sum + weight, 0);
  console.log(
    table(
      members.map(([name, weight]) => [name, `${((100 * weight) / total).toFixed(1)} %`]),
      [1],
    ),
  );
  if (metrics.scores) {
    console.log(
      `out-of-fold rmse ${metrics.scores["rmse"].toFixed(2)}, r2 ${metrics.scores["r2"].toFixed(4)}`,
    );
  }
  console.log("\nWhat it relies on (rise of rmse when the column is shuffled)");
  const importance = [...model.card.importance.permutation]
    .sort((a, b) => b.importance - a.importance)
    .slice(0, 6);
  const top = importance[0]?.importance ?? 1;
  console.log(
    table(
      importance.map(({ column, importance: rise }) => [
        column,
        rise.toFixed(2),
        bar(rise / top, 24),
      ]),
      [1],
    ),
  );
}

export async function showTest(api: Api, modelId: string, data: Split): Promise<void> {
  const { predictions } = await api.post<{ predictions: Prediction[] }>(
    `/v1/models/${modelId}/predict`,
    { instances: data.test },
  );
  const mean = data.testTarget.reduce((sum, value) => sum + value, 0) / data.testTarget.length;
  let squared = 0;
  let total = 0;
  for (const [row, target] of data.testTarget.entries()) {
    squared += (predictions[row].value - target) ** 2;
    total += (target - mean) ** 2;
  }
  const rmse = Math.sqrt(squared / data.testTarget.length);
  console.log(
    `\nTest score on the ${data.test.length} rows kept back: rmse ${rmse.toFixed(2)}, r2 ${(1 - squared / total).toFixed(4)}`,
  );
  const held = predictions.filter(({ interval }, row) => {
    const target = data.testTarget[row];
    return interval && target >= interval[0] && target <= interval[1];
  });
  console.log(
    `90 % intervals hold the count of ${((100 * held.length) / predictions.length).toFixed(1)} % of them`,
  );
  const { explanations } = await api.post<Explanations>(`/v1/models/${modelId}/explain`, {
    instances: [data.test[0]],
  });
  const [explanation] = explanations;
  console.log(`\nOne of them: ${JSON.stringify(data.test[0])}`);
  const between = predictions[0].interval?.map((end) => end.toFixed(0)).join(" to ");
  console.log(
    `predicted ${predictions[0].value.toFixed(1)} bikes (90 %: ${between ?? "unknown"}), counted ${data.testTarget[0]}; starting from the average ${explanation.base_value.toFixed(1)}:`,
  );
  const contributions = Object.entries(explanation.contributions)
    .sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]))
    .slice(0, 6);
  console.log(
    table(
      contributions.map(([column, value]) => [
        `  ${column} = ${data.test[0][column]}`,
        `${value >= 0 ? "+" : "−"}${Math.abs(value).toFixed(1)}`,
      ]),
      [1],
    ),
  );
}
