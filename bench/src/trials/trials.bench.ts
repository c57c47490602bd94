/**
 * A fixed number of trials × folds of boosting in one search space, beside LightGBM under Optuna: equal
 * data, folds, space and cores. Bins are made within the time, and shared as each side can: ours by all folds and
 * trials, theirs by the trials of a fold (or, as in Optuna's examples, by none). Without pruning, and with each side's own.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Parameters, SearchSpace } from "../../../engine/src/search/space.ts";
import { syntheticData } from "../bench-data.ts";
import { ASKED_FOR, type Findings } from "../findings/findings.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { type PeerForm, PeerTrials } from "./optuna-lightgbm.ts";
import { foldsOf, ourTrials, type SearchedTrials, type TrialsRequest } from "./our-trials.ts";

export interface TrialsOptions {
  readonly quick: boolean;
  readonly seeds: number;
  readonly python: string;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

const COLUMNS = 30;
const FOLDS = 5;
const THREADS = 2;
/** How many times as soon as the others. */
const ASKED_TIMES = 4;

/** By names that both sides know. */
const SPACE: SearchSpace = {
  learning_rate: { type: "float", low: 0.05, high: 0.3, log: true },
  num_leaves: { type: "int", low: 4, high: 200, log: true },
  min_data_in_leaf: { type: "int", low: 1, high: 100, log: true },
  feature_fraction: { type: "float", low: 0.4, high: 1 },
  bagging_fraction: { type: "float", low: 0.5, high: 1 },
  lambda_l1: { type: "float", low: 1e-4, high: 10, log: true },
  lambda_l2: { type: "float", low: 1e-4, high: 10, log: true },
};
const FIXED: Parameters = { n_estimators: 1000, early_stopping_rounds: 50, extra_trees: false };

const FORMS: readonly PeerForm[] = [
  { form: "processes", datasets: "kept", parameters: {} },
  { form: "processes", datasets: "anew", parameters: {} },
  { form: "threads", datasets: "kept", parameters: {} },
  { form: "processes", datasets: "kept", parameters: { use_quantized_grad: true } },
];

export async function benchTrials(options: TrialsOptions): Promise<void> {
  const { quick, python, print } = options;
  const rows = quick ? 2000 : 50_000;
  const trials = quick ? 4 : 50;
  const seeds = quick ? 1 : options.seeds;
  const data = syntheticData(rows, COLUMNS);
  const folder = mkdtempSync(join(tmpdir(), "bench-trials-"));
  print(
    `\ntrials: ${trials} × ${FOLDS} folds of ${rows} × ${COLUMNS}, ${THREADS} cores, ${seeds} seeds\n`,
  );
  try {
    for (const pruning of [false, true]) {
      const lines: Line[] = [];
      for (let seed = 0; seed < seeds; seed++) {
        const request = {
          space: SPACE,
          fixed: FIXED,
          folds: FOLDS,
          threads: THREADS,
          trials,
          pruning,
          seed,
        };
        let peer: PeerTrials | null = null;
        const ours = await ourTrials(data, request, (run) => {
          peer = new PeerTrials(python, folder, data, foldsOf(run, rows));
        });
        add(lines, "ours", ours);
        if (peer)
          for (const form of quick ? FORMS.slice(0, 1) : FORMS)
            await searchBeside(lines, peer, request, form, options);
      }
      present(lines, pruning, options);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Line {
  readonly name: string;
  readonly searched: SearchedTrials[];
}

function add(lines: Line[], name: string, searched: SearchedTrials): void {
  const line = lines.find((each) => each.name === name);
  if (line) line.searched.push(searched);
  else lines.push({ name, searched: [searched] });
}

async function searchBeside(
  lines: Line[],
  peer: PeerTrials,
  request: TrialsRequest,
  form: PeerForm,
  { print }: TrialsOptions,
): Promise<void> {
  const quantised = "use_quantized_grad" in form.parameters ? ", quantised" : "";
  const how = `${request.threads} ${form.form}, ${form.datasets === "kept" ? "bins kept" : "bins anew"}${quantised}`;
  try {
    const searched = await peer.search(request, form);
    add(lines, `${searched.name}, ${how}`, searched);
  } catch (error) {
    print(
      `LightGBM under Optuna, ${how}: left out: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  }
}

function present(
  lines: readonly Line[],
  pruning: boolean,
  { findings, print }: TrialsOptions,
): void {
  const of = ({ searched }: Line, what: (each: SearchedTrials) => number): number =>
    searched.reduce((sum, each) => sum + what(each), 0) / searched.length;
  const [ours, ...others] = lines;
  const seconds = (line: Line): number => of(line, (each) => each.seconds);
  const cpu = (line: Line): number => of(line, (each) => each.cpu);
  const loss = (line: Line): number => of(line, (each) => each.loss);
  print(
    `\n${pruning ? "with pruning, each by its own" : "without pruning"}; load ${loadavg()[0].toFixed(1)}\n`,
  );
  const header = [
    "",
    "seconds",
    "ratio",
    "CPU s",
    "ratio",
    "validation loss",
    "trials",
    "pruned",
    "folds",
    "rounds",
  ];
  const table = lines.map((line) => [
    line.name,
    shortNumber(seconds(line)),
    shortNumber(seconds(line) / seconds(ours), 3),
    shortNumber(cpu(line)),
    shortNumber(cpu(line) / cpu(ours), 3),
    shortNumber(loss(line), 5),
    ...[
      ({ trials }: SearchedTrials) => trials,
      ({ pruned }: SearchedTrials) => pruned,
      ({ folds }: SearchedTrials) => folds,
      ({ rounds }: SearchedTrials) => rounds,
    ].map((what) => shortNumber(of(line, what))),
  ]);
  print(`${textTable(header, table)}\n`);
  if (others.length === 0) return;
  const what = pruning ? "with pruning" : "without pruning";
  for (const other of others) {
    const shared = { better: "smaller", against: other.name } as const;
    findings.compare({ ...shared, what, unit: "s", ours: seconds(ours), theirs: seconds(other) });
    findings.compare({ ...shared, what, unit: "CPU s", ours: cpu(ours), theirs: cpu(other) });
    findings.compare({
      ...{ ...shared, what, unit: "validation log_loss", ours: loss(ours), theirs: loss(other) },
    });
  }
  findings.compare({
    ...{ what: `${what}, beside the fastest other`, unit: "times as soon", better: "larger" },
    ...{ ours: Math.min(...others.map(seconds)) / seconds(ours), against: ASKED_FOR },
    theirs: ASKED_TIMES,
  });
}
