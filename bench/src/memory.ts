/** Peak memory of a training process, measured from outside in a process of its own. */

import { ASKED_FOR, type Findings } from "./findings/findings.ts";
import { measureFit } from "./measured-fit-process.ts";
import { textTable } from "./text-table.ts";

const FEATURES = 28;
const ROUNDS = 10;
/** What the design allows: so many times the binned data, and so many bytes. */
const TIMES_BINNED = 2.5;
const BESIDE = 200e6;

export function benchMemory(rows: number, findings: Findings, print: (text: string) => void): void {
  const { peak, encodedPeak, binned } = measureFit(rows, FEATURES, ROUNDS);
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const allowed = TIMES_BINNED * binned + BESIDE;
  findings.compare({
    what: `peak of training on ${rows} × ${FEATURES}`,
    ...{ unit: "MB", better: "smaller", ours: peak / 1e6 },
    ...{ against: ASKED_FOR, theirs: allowed / 1e6 },
  });
  print(`\nMemory: training gbdt on ${rows} × ${FEATURES}, ${ROUNDS} rounds, 255 leaves, in MB\n`);
  print(
    `${textTable(
      ["", "MB"],
      [
        ["binned data, by row and by column", megabytes(binned)],
        ["peak after binning", megabytes(encodedPeak)],
        ["peak of the process", megabytes(peak)],
        [`allowed: ${TIMES_BINNED} × binned + ${BESIDE / 1e6}`, megabytes(allowed)],
        ["of one copy of the bins", megabytes(TIMES_BINNED * rows * FEATURES + BESIDE)],
      ],
    )}\n${peak <= allowed ? "within" : "ABOVE"} what is allowed\n`,
  );
}
