/** Requests and errors a second, of the minutes that the view has been open. */

import { figure } from "../../../ui/numbers.ts";
import { ratesOf, type Sample } from "./rates.ts";

const WIDTH = 600;
const HEIGHT = 90;
const SPAN_MS = 240_000;

export function RateChart({ samples }: { readonly samples: readonly Sample[] }) {
  const rates = ratesOf(samples);
  const last = rates.at(-1);
  const now = samples.at(-1)?.at ?? 0;
  const highest = Math.max(1, ...rates.map(({ requests }) => requests));
  const points = (of: "requests" | "errors"): string =>
    rates
      .map((rate) => {
        const x = WIDTH * (1 - (now - rate.at) / SPAN_MS);
        return `${x.toFixed(1)},${(HEIGHT - (HEIGHT * rate[of]) / highest).toFixed(1)}`;
      })
      .join(" ");
  const words = last
    ? `${figure(Number(last.requests.toPrecision(3)))} requests a second, of which ${figure(Number(last.errors.toPrecision(3)))} refused or failed`
    : "Counting…";
  return (
    <figure className="card rate-chart">
      <figcaption>
        <strong>Now:</strong> {words}
      </figcaption>
      <svg
        viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests a second in the last four minutes; ${words}`}
      >
        <line className="axis" x1="0" y1={HEIGHT} x2={WIDTH} y2={HEIGHT} />
        <polyline className="requests" points={points("requests")} />
        <polyline className="errors" points={points("errors")} />
      </svg>
      <p className="note">
        The last four minutes at most; the top of the chart is{" "}
        {figure(Number(highest.toPrecision(3)))} a second. Solid: requests. Dashed: refused and
        failed.
      </p>
    </figure>
  );
}
