/** Whether one of two models is better by a metric, in words, numbers and a range. */

import { score, scoreRangeSpec } from "@distillery/engine/charts";
import { ChartView } from "../../ui/chart.tsx";

interface DifferenceProps {
  readonly metric: string;
  readonly direction: "minimize" | "maximize";
  /** Its score less the first model's. */
  readonly difference: number | null;
  readonly interval: readonly [low: number, high: number] | null;
  /** Of the resamples. */
  readonly betterShare: number | null;
  /** Its number; the other is the first. */
  readonly place: number;
}

export function Difference({
  metric,
  direction,
  difference,
  interval,
  betterShare,
  place,
}: DifferenceProps) {
  const isSure = interval !== null && (interval[0] > 0 || interval[1] < 0);
  const isBetter = difference !== null && difference < 0 === (direction === "minimize");
  return (
    <div>
      <p>
        {isSure
          ? `Model ${place} is ${isBetter ? "better" : "worse"} by ${metric}.`
          : `By ${metric} the two cannot be told apart on these rows.`}{" "}
        <span className="note">
          Difference {score(difference)}
          {spanOf(interval)}
          {betterShare !== null &&
            `; better in ${Math.round(100 * betterShare)} % of the resamples`}
        </span>
      </p>
      {difference !== null && (
        <ChartView
          label={`Difference in ${metric}: ${score(difference)}${spanOf(interval)}`}
          chart={scoreRangeSpec(
            [{ name: `model ${place} − model 1`, value: difference, interval }],
            `difference in ${metric}`,
            0,
          )}
        />
      )}
    </div>
  );
}

/** ` (low … high)`. */
export const spanOf = (interval: readonly [number, number] | null | undefined): string =>
  interval ? ` (${score(interval[0])} … ${score(interval[1])})` : "";
