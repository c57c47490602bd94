/** Shares of rows by bin, beside those of the training data. */

import type { Outputs } from "@distillery/client";
import { figure, percent } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";

type Distribution = Outputs["serving"]["drift"]["models"][number]["predictions"][number];

interface BinsProps {
  readonly bins: Distribution["bins"];
  readonly kind: Distribution["kind"];
}

export function Bins({ bins, kind }: BinsProps) {
  const highest = Math.max(
    0.01,
    ...bins.flatMap(({ share, in_training }) => [share ?? 0, in_training ?? 0]),
  );
  return (
    <div className="bins">
      <p className="bins-key">
        <span className="swatch series-0" aria-hidden="true" /> now{" "}
        <span className="swatch series-6" aria-hidden="true" /> in training
      </p>
      <ul>
        {bins.map((bin, at) => (
          <li key={bin.value ?? bin.up_to ?? "rest"}>
            <span className="bin-name">{nameOf(bin, kind, bins[at - 1])}</span>
            <span className="bin-bars" aria-hidden="true">
              <span className="series-0" style={{ width: width(bin.share, highest) }} />
              <span className="series-6" style={{ width: width(bin.in_training, highest) }} />
            </span>
            <span className="bin-share">
              {bin.share === null ? "–" : percent(bin.share, 1)}
              <span className="note">
                {" "}
                was {bin.in_training === null ? "–" : percent(bin.in_training, 1)}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const width = (share: number | null, highest: number): string =>
  `${(100 * (share ?? 0)) / highest}%`;

function nameOf(
  { value, up_to }: Distribution["bins"][number],
  kind: Distribution["kind"],
  before: Distribution["bins"][number] | undefined,
) {
  if (kind === "categorical" || kind === "boolean") {
    return value === null ? "all others" : <Text of={value} most={40} />;
  }
  const words = (edge: number): string =>
    kind === "timestamp" ? new Date(edge).toISOString().slice(0, 10) : figure(edge);
  const unit = kind === "text" ? " characters" : "";
  if (up_to !== null) return `up to ${words(up_to)}${unit}`;
  return before?.up_to == null ? "all" : `above ${words(before.up_to)}${unit}`;
}
