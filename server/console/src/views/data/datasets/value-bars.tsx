/** What a column holds, drawn small: a histogram of numbers and times, bars of the top values. */

import { figure, percent } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import type { ColumnFigures, Place } from "./column-figures.ts";

const [WIDTH, HEIGHT] = [160, 36];
const dates = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** A number or a time of a profile. */
export function placeText(place: Place | undefined): string {
  if (place === null || place === undefined) return "–";
  return typeof place === "number" ? figure(place) : dates.format(new Date(place));
}

interface HistogramProps {
  readonly of: NonNullable<ColumnFigures["histogram"]>;
  /** The least and the greatest value, where they are known: edges may be rounder than these. */
  readonly min?: Place | undefined;
  readonly max?: Place | undefined;
}

export function Histogram({ of, min, max }: HistogramProps) {
  const { edges, counts } = of;
  const most = Math.max(1, ...counts);
  const width = WIDTH / counts.length;
  const [low, high] = [placeText(min ?? edges[0]), placeText(max ?? edges.at(-1))];
  const fullest = counts.indexOf(most);
  const label = `From ${low} to ${high}; most between ${placeText(edges[fullest])} and ${placeText(edges[fullest + 1])}`;
  return (
    <figure className="histogram">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {counts.map((count, bin) => {
          // What is there is seen, however little it is.
          const height = count === 0 ? 0 : Math.max(1.5, (count / most) * HEIGHT);
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a bin is its place
              key={bin}
              x={bin * width + 0.5}
              y={HEIGHT - height}
              width={width - 1}
              height={height}
            />
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        <span>{low}</span>
        <span>{high}</span>
      </figcaption>
    </figure>
  );
}

export function TopValues({ of, most }: { readonly of: ColumnFigures; readonly most: number }) {
  const { top_values: top = [], count, missing } = of;
  const present = count - missing;
  return (
    <ul className="top-values">
      {top.slice(0, most).map(({ value, count: times }) => (
        <li key={value}>
          <span className="top-bar" style={{ width: `${(times / Math.max(1, present)) * 100}%` }} />
          <span className="top-value">
            {value === "" ? <em>empty text</em> : <Text of={value} most={60} />}
          </span>
          <span className="top-share">{percent(times, present)}</span>
        </li>
      ))}
    </ul>
  );
}
