/** The demo's data: UCI bike sharing by the hour, with every fifth row or so kept back as a test. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export const LABEL = "cnt";
/** `casual` + `registered` = `cnt`, and `instant` is the row's number. */
export const IGNORED = ["instant", "casual", "registered"];

export interface Split {
  readonly trainCsv: string;
  readonly trainRows: number;
  /** Rows as a client would send them to predict. */
  readonly test: readonly Readonly<Record<string, string | number>>[];
  readonly testTarget: readonly number[];
}

/** @param hours how many of the last are taken; of two years, 17379 */
export function readBikeSharing(hours: number): Split {
  const file = new URL("../../fixtures/bike_sharing_hourly/data.csv.gz", import.meta.url);
  const [header, ...all] = gunzipSync(readFileSync(file)).toString("utf8").trim().split(/\r?\n/);
  const lines = all.slice(-hours);
  const names = header.split(",");
  const isTest = (line: string): boolean => createHash("sha256").update(line).digest()[0] % 5 === 0;
  const train = lines.filter((line) => !isTest(line));
  const rows = lines.filter(isTest).map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(
      names.map((name, i) => [name, name === "dteday" ? cells[i] : Number(cells[i])]),
    );
  });
  return {
    trainCsv: [header, ...train].join("\n"),
    trainRows: train.length,
    test: rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).filter(([name]) => name !== LABEL && !IGNORED.includes(name)),
      ),
    ),
    testTarget: rows.map((row) => Number(row[LABEL])),
  };
}
