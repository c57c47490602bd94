/** UCI bike sharing as one series of hours until the end of a September, of which the last are kept back as a test. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** Steps that are forecast: two days. */
export const HORIZON = 48;

/** The year's own last days are holidays, of which the hours before them say little. */
const LAST = Date.parse("2012-09-30T23:00:00Z");

export interface Hours {
  /** `time`, `count`, and whether the day is a working one, which is known ahead. */
  readonly csv: string;
  readonly rows: number;
  /** The hours that are kept back. */
  readonly test: readonly {
    readonly time: string;
    readonly count: number;
    readonly workingday: number;
  }[];
}

/** @param days until the last, those kept back included */
export function readHours(days: number): Hours {
  const file = new URL("../../fixtures/bike_sharing_hourly/data.csv.gz", import.meta.url);
  const [header, ...lines] = gunzipSync(readFileSync(file)).toString("utf8").trim().split(/\r?\n/);
  const names = header.split(",");
  const all = lines.map((line) => {
    const cells = line.split(",");
    const cell = (name: string): string => cells[names.indexOf(name)];
    return {
      time: `${cell("dteday")}T${cell("hr").padStart(2, "0")}:00:00Z`,
      count: Number(cell("cnt")),
      workingday: Number(cell("workingday")),
    };
  });
  const from = LAST - days * 86_400_000;
  const asked = all.filter(({ time }) => Date.parse(time) > from && Date.parse(time) <= LAST);
  const test = asked.slice(-HORIZON);
  const known = asked.slice(0, -HORIZON);
  return {
    csv: [
      "time,count,workingday",
      ...known.map(({ time, count, workingday }) => `${time},${count},${workingday}`),
    ].join("\n"),
    rows: known.length,
    test,
  };
}
