/** UCI bike sharing as days of 24 hours, which were working days or not; every fourth is kept back as a test. */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export interface Hour {
  readonly day: string;
  readonly hour: number;
  readonly rentals: number;
}

export interface Day {
  readonly kind: "working" | "free";
  readonly hours: readonly Hour[];
}

export interface Days {
  /** `day`, `hour`, `rentals`, and the kind of the day. */
  readonly csv: string;
  readonly count: number;
  readonly test: readonly Day[];
}

const KEPT_BACK = 4;

/** @param count of days at the end, those kept back included */
export function readDays(count: number): Days {
  const file = new URL("../../fixtures/bike_sharing_hourly/data.csv.gz", import.meta.url);
  const [header, ...lines] = gunzipSync(readFileSync(file)).toString("utf8").trim().split(/\r?\n/);
  const names = header.split(",");
  const days = new Map<string, { kind: Day["kind"]; hours: Hour[] }>();
  for (const line of lines) {
    const cells = line.split(",");
    const cell = (name: string): string => cells[names.indexOf(name)];
    const name = cell("dteday");
    const day = days.get(name) ?? {
      kind: cell("workingday") === "1" ? "working" : "free",
      hours: [],
    };
    days.set(name, day);
    day.hours.push({ day: name, hour: Number(cell("hr")), rentals: Number(cell("cnt")) });
  }
  const all = [...days.values()].slice(-count);
  const learned = all.filter((_, i) => i % KEPT_BACK !== 0);
  return {
    csv: [
      "day,hour,rentals,kind",
      ...learned.flatMap(({ kind, hours }) =>
        hours.map(({ day, hour, rentals }) => `${day},${hour},${rentals},${kind}`),
      ),
    ].join("\n"),
    count: learned.length,
    test: all.filter((_, i) => i % KEPT_BACK === 0),
  };
}
