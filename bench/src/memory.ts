/** Peak memory of a training process, measured from outside in a process of its own. */

import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { textTable } from "./text-table.ts";

const CHILD = fileURLToPath(new URL("memory-child.ts", import.meta.url));
const FEATURES = 28;
const ROUNDS = 10;
/** What the design allows: so many times the binned data, and so many bytes. */
const TIMES_BINNED = 2.5;
const BESIDE = 200e6;

export function benchMemory(rows: number, print: (text: string) => void): void {
  const child = spawnSync(process.execPath, [CHILD, ...[rows, FEATURES, ROUNDS].map(String)], {
    encoding: "utf8",
  });
  if (child.status !== 0) throw new Error(`The measured process failed: ${child.stderr}`);
  const found: unknown = JSON.parse(child.stdout);
  const number = (name: string): number => {
    const value = Object.entries(found ?? {}).find(([key]) => key === name)?.[1];
    return Number(value);
  };
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(0);
  const allowed = TIMES_BINNED * number("binned") + BESIDE;
  print(`\nMemory: training gbdt on ${rows} × ${FEATURES}, ${ROUNDS} rounds, 255 leaves, in MB\n`);
  print(
    `${textTable(
      ["", "MB"],
      [
        ["binned data, by row and by column", megabytes(number("binned"))],
        ["peak after binning", megabytes(number("encodedPeak"))],
        ["peak of the process", megabytes(number("peak"))],
        [`allowed: ${TIMES_BINNED} × binned + ${BESIDE / 1e6}`, megabytes(allowed)],
        ["of one copy of the bins", megabytes(TIMES_BINNED * rows * FEATURES + BESIDE)],
      ],
    )}\n${number("peak") <= allowed ? "within" : "ABOVE"} what is allowed\n`,
  );
}
