/** What a part of `pnpm bench` is, and the ways in which parts are made. */

import type { Bench } from "tinybench";
import type { Findings } from "./findings/findings.ts";
import type { PeerProcess } from "./peer-process.ts";
import { shortNumber, textTable } from "./text-table.ts";

export interface BenchRequest {
  /** Of the part. */
  readonly name: string;
  readonly quick: boolean;
  readonly data: string | undefined;
  readonly checkout: string | undefined;
  readonly datasets: readonly string[];
  readonly seeds: number;
  readonly seconds: number;
  readonly families: readonly string[];
  readonly results: string;
  /** Into which drawings are written. */
  readonly plots: string;
  readonly python: string;
  readonly peers: () => Promise<PeerProcess | null>;
  readonly findings: Findings;
  readonly print: (text: string) => void;
  /** Adds members to the file of `--json`. */
  readonly report: (members: Readonly<Record<string, unknown>>) => void;
}

export interface Part {
  readonly about: string;
  run(request: BenchRequest): Promise<void>;
}

export type DataRequest = BenchRequest & { readonly data: string };

/** A part that reads the data sets of `--data`. */
export function onData(about: string, run: (request: DataRequest) => Promise<void>): Part {
  return {
    about,
    async run(request) {
      const { name, data, print } = request;
      if (data === undefined) {
        print(`\n${name}: left out, since --data names no folder of data sets\n`);
        return;
      }
      await run({ ...request, data });
    },
  };
}

/** The data sets that were asked for; where none were, a few of them for a quick look, else `usual`; empty: all. */
export function some(
  { quick, datasets }: BenchRequest,
  few: readonly string[],
  usual: readonly string[] = [],
): readonly string[] {
  if (datasets.length > 0) return datasets;
  return quick ? few : usual;
}

/** Times of ours alone. */
export function inMilliseconds(about: string, make: (quick: boolean) => Promise<Bench>): Part {
  return {
    about,
    async run({ quick, findings, print }) {
      const bench = await make(quick);
      print(`\n${bench.name ?? ""}\n`);
      const rows = bench.tasks.map(({ name, result }) => {
        if (!("latency" in result)) {
          return [name, "error" in result ? `failed: ${String(result.error)}` : result.state];
        }
        const { p50, min } = result.latency;
        findings.note(name, "ms", p50);
        return [name, shortNumber(p50), shortNumber(min), String(result.latency.samplesCount)];
      });
      print(`${textTable(["", "median ms", "least ms", "runs"], rows)}\n`);
    },
  };
}
