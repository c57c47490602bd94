/** A chart of the report, drawn as wide as there is room; beside it in words and numbers. */

import type { Chart, LegendEntry, Panels } from "@distillery/engine/charts";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ProblemNote } from "./problem.tsx";
import type { Drawn } from "./vega-view.ts";
import "./chart.css";

interface ChartProps {
  readonly chart: Chart | Panels;
  /** What is to be seen, in words: for those who do not see it. */
  readonly label: string;
  /** The same numbers, opened on demand. */
  readonly table?: ReactNode;
  /** Told which datum was pressed; what it does must be possible without pointing as well. */
  readonly onPick?: (datum: Readonly<Record<string, unknown>>) => void;
}

export function ChartView({ chart, label, table, onPick }: ChartProps) {
  const specs = "spec" in chart ? [chart.spec] : chart.panels;
  return (
    <div className="chart-view">
      <Legend of={chart.legend} />
      {specs.map((spec, i) => (
        <Drawing
          // biome-ignore lint/suspicious/noArrayIndexKey: panels are told apart by their place
          key={i}
          spec={spec}
          label={specs.length === 1 ? label : `${label} (${i + 1} of ${specs.length})`}
          onPick={onPick}
        />
      ))}
      {table && (
        <details>
          <summary>As a table</summary>
          {table}
        </details>
      )}
    </div>
  );
}

/** What the colours stand for; of one colour there is nothing to say. */
function Legend({ of }: { readonly of: readonly LegendEntry[] }) {
  if (of.length < 2) return null;
  return (
    <ul className="legend">
      {of.map(({ name, colour }) => (
        <li key={name}>
          <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <circle cx="5" cy="5" r="5" fill={colour} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}

interface DrawingProps {
  readonly spec: Chart["spec"];
  readonly label: string;
  readonly onPick: ChartProps["onPick"];
}

function Drawing({ spec, label, onPick }: DrawingProps) {
  const frame = useRef<HTMLDivElement>(null);
  const pick = useRef(onPick);
  pick.current = onPick;
  const canPick = onPick !== undefined;
  const [width, setWidth] = useState(0);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) =>
      setWidth(Math.floor(entry!.contentRect.width)),
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // A specification that says the same is the same drawing.
  const text = JSON.stringify(spec);
  useEffect(() => {
    const element = frame.current;
    if (element === null || width === 0) return;
    const parsed: Chart["spec"] = JSON.parse(text);
    let shown: Drawn | undefined;
    let isOver = false;
    import("./vega-view.ts")
      .then(({ draw }) =>
        draw(element, parsed, {
          width,
          onPick: canPick ? (datum) => pick.current?.(datum) : undefined,
        }),
      )
      .then((drawn) => {
        if (isOver) return drawn.end();
        shown = drawn;
        drawn.show();
        setError(null);
      })
      .catch(setError);
    return () => {
      isOver = true;
      shown?.end();
    };
  }, [text, width, canPick]);
  const height = typeof spec.height === "number" ? spec.height : undefined;
  return (
    <>
      {error !== null && <ProblemNote error={error} />}
      <div
        ref={frame}
        className={canPick ? "drawing picks" : "drawing"}
        role="img"
        aria-label={label}
        style={{ minHeight: height }}
      />
    </>
  );
}
