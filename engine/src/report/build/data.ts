/** The columns as the report shows them. */

import type { Frame } from "../../data/frame.ts";
import { type ColumnProfile, profileColumn } from "../../data/profile.ts";
import { type DataProfile, evenlySpaced } from "../../trainer/plan/data-profile.ts";
import type { PreparedRun } from "../../trainer/plan/prepared.ts";
import type { ColumnSection, RunReport } from "../document.ts";

/** Texts may be long; what tells them apart comes first. */
const MOST_LETTERS = 80;
const MOST_CHANNELS = 60;
/** Of a channel, evenly spaced. */
const PROFILED_STEPS = 50_000;

export function dataSection(
  run: PreparedRun,
  profile: DataProfile,
  label: string,
): RunReport["data"] {
  const features = profile.columns.filter(({ name }) => name !== label).length;
  return {
    rows: profile.rows,
    profiledRows: profile.profiledRows,
    columns: [
      ...profile.columns.map((column) => columnSection(column, label)),
      ...channelSections(run.data.frame),
    ],
    columnsLeftOut: run.schema.columns.length - features,
    dropped: run.schema.dropped
      .filter(({ name }) => name !== label)
      .map(({ name, kind, reason }) => ({ name, kind, reason })),
  };
}

/** Channels of sequences, which stand in no column of the rows; those of one column are its values. */
function channelSections(frame: Frame | undefined): ColumnSection[] {
  if (frame?.kind !== "sequences") return [];
  return frame.values.slice(0, MOST_CHANNELS).map((values, channel) => {
    const own = frame.columns[channel];
    const among = frame.columns.flatMap((name, c) => (name === own ? [c] : []));
    const name = among.length > 1 ? `${own} (${among.indexOf(channel) + 1})` : own;
    const taken = Float64Array.from(
      evenlySpaced(values.length, PROFILED_STEPS),
      (step) => values[step],
    );
    const profiled = profileColumn({ kind: "numeric", name, values: taken });
    return { ...columnSection(profiled, ""), values: taken.length };
  });
}

function columnSection(column: ColumnProfile, label: string): ColumnSection {
  const { name, kind, missing, distinct, distinctIsEstimate, summary, top } = column;
  const { implausible = [] } = column;
  return {
    name,
    kind,
    role: name === label ? "label" : "feature",
    missing,
    distinct,
    distinctIsEstimate,
    ...(summary
      ? {
          numbers: {
            min: summary.min,
            max: summary.max,
            mean: summary.mean,
            std: summary.std,
            median: summary.quantiles.find(({ q }) => q === 0.5)?.value ?? summary.mean,
            histogram: {
              edges: [...summary.histogram.edges],
              counts: [...summary.histogram.counts],
            },
          },
        }
      : {}),
    ...(implausible.length > 0 ? { implausible: implausible.map(({ message }) => message) } : {}),
    ...(top.length > 0
      ? { top: top.map(({ value, count }) => ({ value: shortened(value), count })) }
      : {}),
  };
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS - 1).join("")}…` : text;
}
