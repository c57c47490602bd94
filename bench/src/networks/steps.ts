/** One training step of a network of 28-256-256-1 on 256 rows, beside TensorFlow.js. */

import { Arena } from "../../../engine/src/compute/arena.ts";
import { kernelsOf } from "../../../engine/src/compute/kernels.ts";
import { rowNumbers } from "../../../engine/src/compute/row-lists.ts";
import { withScratch } from "../../../engine/src/compute/scratch.ts";
import { CpuTrainer } from "../../../engine/src/families/mlp/cpu-trainer.ts";
import { Network } from "../../../engine/src/families/mlp/network.ts";
import { inputOf } from "../../../engine/src/families/mlp/testing/random-network.ts";
import type { Findings } from "../findings/findings.ts";
import { shortNumber, textTable } from "../text-table.ts";
import { libraryStep } from "./library-step.ts";

const ROWS = 256;
const NUMBERS = 28;
const WIDTHS = [256, 256];
/** How many times as fast as the library it is to be. */
const ASKED = 15;

export interface StepsOptions {
  readonly quick: boolean;
  readonly findings: Findings;
  readonly print: (text: string) => void;
}

/** The least of many short turns, one of ours and one of the library's: what others do on the machine only adds. */
export async function benchSteps({ quick, findings, print }: StepsOptions): Promise<void> {
  const arena = Arena.create();
  const shape = {
    ...{ numbers: NUMBERS, frequencies: 0, pieces: 0, oneHot: [], embedded: [], statistics: 0 },
    ...{ widths: WIDTHS, outputs: 1, activation: "selu" as const },
  };
  const input = inputOf(
    {
      ...{ loss: "binary_log_loss", rows: ROWS, batch: ROWS, dropout: 0 },
      ...{ weighted: false, seed: 1, shape },
    },
    kernelsOf(arena),
  );
  const { numbers } = input.train.inputs;
  const library = await libraryStep(
    {
      rows: ROWS,
      inputs: Float32Array.from({ length: numbers.length }, (_, i) => {
        return numbers[(i % NUMBERS) * ROWS + Math.floor(i / NUMBERS)];
      }),
      labels: Float32Array.from(input.train.target),
    },
    WIDTHS,
  );
  withScratch(arena, (scratch) => {
    const network = new Network(scratch, shape, ROWS);
    network.setParameters(
      Float32Array.from({ length: network.layout.size }, (_, i) => Math.sin(i * i)),
    );
    const trainer = new CpuTrainer(scratch, network, input);
    const rows = rowNumbers(ROWS);
    const own = (): unknown => trainer.train(0, rows);
    let [ours, theirs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let turn = 0; turn < (quick ? 10 : 100); turn++) {
      for (let i = 0; i < 5; i++) ours = Math.min(ours, millisecondsOf(own));
      if (typeof library !== "string") theirs = Math.min(theirs, millisecondsOf(library.step));
    }
    const what = `one step of ${[NUMBERS, ...WIDTHS, 1].join("-")} on ${ROWS} rows`;
    print(`\n${what}, one thread, least of many turns\n`);
    const lines = [["distillery, with SELU and learned bends", shortNumber(ours), "1"]];
    if (typeof library === "string") print(`${library}\n`);
    else {
      lines.push([library.name, shortNumber(theirs), shortNumber(theirs / ours, 3)]);
      findings.compare({
        ...{ what: `${what}; asked for: ${ASKED} times`, unit: "ms", better: "smaller" },
        ...{ ours, against: library.name, theirs },
      });
    }
    print(`${textTable(["", "ms", "of ours"], lines)}\n`);
  });
}

function millisecondsOf(step: () => unknown): number {
  const begun = performance.now();
  step();
  return performance.now() - begun;
}
