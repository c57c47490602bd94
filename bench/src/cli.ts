/** `pnpm bench`: what things cost here, and beside other libraries. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { OptionError, readOptions } from "../../server/src/platform/input/command-options.ts";
import { type Finding, Findings } from "./findings/findings.ts";
import { History, type Measured } from "./findings/history.ts";
import { load, thisCommit, thisMachine } from "./findings/machine.ts";
import { summaryMarkdown, summaryText } from "./findings/summary.ts";
import type { BenchRequest } from "./part.ts";
import { PARTS } from "./parts.ts";
import { PeerProcess } from "./peer-process.ts";

const FOLDER = ".distillery/bench";

const LIST = Object.entries(PARTS)
  .map(([name, { about }]) => `  ${name.padEnd(14)} ${about}\n`)
  .join("");

const HELP = `Usage: pnpm bench [<part>]… [--quick] [--data <folder>] [--datasets <a,b>] [--seeds <n>]
                  [--seconds <s>] [--families <a,b>] [--results <file>] [--plots <folder>]
                  [--json <file>] [--markdown <file>] [--history <file>] [--list]

Without a part, all run:

${LIST}
  --list             the parts, a line each
  --only <part>      the same as <part>; may be repeated
  --quick            small sizes and few repeats: a look at whether it works
  --checkout <folder> another version with its packages, for "dataset" and "batch"
  --data <folder>    the data sets of the parts that name it:
                     INDEX.csv, and a folder each with meta.json and data.csv(.gz), train and test
                     files, or docs/ and what is known of them
  --datasets <a,b>   only these of them; of "loop", the traffic whose names contain one of these
  --families <a,b>   families that "search" searches, one by one (default gbdt)
  --results <file>   where "search" keeps what it has run, so that it goes on after a stop
                     (default ${FOLDER}/search.jsonl); "forecast-runs" keeps what other
                     libraries forecast beside it, in forecasts.jsonl
  --plots <folder>   where "scaling" draws (default ${FOLDER}/plots)
  --seeds <n>        seeds per library and data set, to show the noise (default 3)
  --seconds <s>      of wall time for each search of "tuned" and "automl", and run of
                     "forecast-runs" and "sequence-runs" (default 60)
  --json <file>      all figures, with the machine and the commit
  --markdown <file>  the table at the end
  --history <file>   ratios of earlier benches (default ${FOLDER}/history.jsonl): those of the same
                     machine and size stand in the table, and one that fell by a tenth is marked

Other libraries are those of $PYTHON, or else python3: LightGBM, XGBoost, CatBoost, scikit-learn,
Optuna, AutoGluon, statsforecast, aeon, shap, onnxruntime.
What is not there is named and left out.
`;

const OPTIONS = {
  help: { type: "boolean", short: "h", default: false },
  list: { type: "boolean", default: false },
  only: { type: "string", multiple: true },
  quick: { type: "boolean", default: false },
  data: { type: "string" },
  checkout: { type: "string" },
  datasets: { type: "string", default: "" },
  seeds: { type: "string", default: "3" },
  seconds: { type: "string", default: "60" },
  families: { type: "string", default: "gbdt" },
  results: { type: "string", default: `${FOLDER}/search.jsonl` },
  plots: { type: "string", default: `${FOLDER}/plots` },
  json: { type: "string" },
  markdown: { type: "string" },
  history: { type: "string", default: `${FOLDER}/history.jsonl` },
} as const;

const print = (text: string): void => {
  process.stdout.write(text);
};

/** What was asked for cannot be done as it was asked. */
class UsageError extends Error {}

/** Python is asked once, when a part first wants it. */
function lazyPeers(python: string): {
  get: () => Promise<PeerProcess | null>;
  close: () => Promise<void>;
} {
  let started: Promise<PeerProcess | null> | undefined;
  const start = async (): Promise<PeerProcess | null> => {
    const peers = await PeerProcess.start(python);
    if (peers === null) {
      print(`\nNo other libraries: ${python} could not be started or has none of them.\n`);
      return null;
    }
    for (const missing of peers.missing) print(`\nNot compared: ${missing}\n`);
    return peers;
  };
  return {
    get: () => {
      started ??= start();
      return started;
    },
    close: async () => (await started)?.close(),
  };
}

interface Ran {
  readonly name: string;
  readonly seconds: number;
  /** Processes that wanted to run, at its end. */
  readonly load: number;
}

async function main(): Promise<number> {
  const { values, positionals } = readOptions(OPTIONS);
  if (values.help || values.list) {
    print(values.help ? HELP : LIST);
    return 0;
  }
  const wanted = [...positionals, ...(values.only ?? [])];
  const unknown = wanted.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) {
    throw new UsageError(
      `There is no part "${unknown}"; there are ${Object.keys(PARTS).join(", ")}.`,
    );
  }
  const seeds = Number(values.seeds);
  if (!Number.isInteger(seeds) || seeds < 1) {
    throw new UsageError(`--seeds must be a whole number of at least 1, not "${values.seeds}".`);
  }
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) {
    throw new UsageError(`--seconds must be a number above 0, not "${values.seconds}".`);
  }
  const history = new History(values.history);
  const measured: Measured = {
    machine: thisMachine(),
    quick: values.quick,
    date: new Date().toISOString(),
    commit: thisCommit(),
  };
  const python = process.env["PYTHON"] || "python3";
  const peers = lazyPeers(python);
  const reported: Record<string, unknown> = {};
  const request: Omit<BenchRequest, "name" | "findings"> = {
    report: (members) => Object.assign(reported, members),
    ...{ quick: values.quick, data: values.data, checkout: values.checkout },
    datasets: values.datasets.split(",").filter((each) => each !== ""),
    ...{ seeds, seconds, families: values.families.split(",") },
    ...{ results: values.results, plots: values.plots, python, peers: peers.get, print },
  };
  const ran: Ran[] = [];
  const all: Finding[] = [];
  try {
    for (const [name, part] of Object.entries(PARTS)) {
      if (wanted.length > 0 && !wanted.includes(name)) continue;
      const findings = new Findings(name);
      const begun = performance.now();
      await part.run({ ...request, name, findings });
      ran.push({ name, seconds: (performance.now() - begun) / 1000, load: load() });
      all.push(...findings.all);
    }
  } finally {
    await peers.close();
  }
  print(summaryText(all, measured, history));
  if (values.json !== undefined) {
    write(
      values.json,
      `${JSON.stringify({ ...measured, parts: ran, findings: all, ...reported }, null, 2)}\n`,
    );
  }
  if (values.markdown !== undefined) {
    write(values.markdown, summaryMarkdown(all, measured, history));
  }
  history.add(measured, all);
  return 0;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError || error instanceof OptionError;
  if (!isUsage) throw error;
  process.stderr.write(`${error.message}\n\npnpm bench --help says what there is.\n`);
  process.exitCode = 1;
}
