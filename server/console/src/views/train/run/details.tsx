/** What is behind the figures: one trial, the spread of the best over folds, the log. */

import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { Button } from "../../../ui/button.tsx";
import { size } from "../../../ui/numbers.ts";
import { Status } from "../../../ui/status.tsx";
import { duration, score } from "../figures.ts";
import type { LiveRun } from "./live-run.ts";
import { shownState, type Trial } from "./run-state.ts";
import { bestTrials } from "./trial-order.ts";
import { useChanges } from "./use-live.ts";

export function TrialDetails({
  live,
  number,
  onClose,
}: {
  readonly live: LiveRun;
  readonly number: number;
  readonly onClose: () => void;
}) {
  useChanges(live, 1_000);
  const trial = live.log.trials[number];
  if (!trial) return <p className="note">The run has no trial {number} yet.</p>;
  return (
    <section className="trial-details" aria-label={`Trial ${number}`}>
      <div className="head">
        <h3>
          Trial {number}: {trial.family} <Status of={shownState(trial, live.end !== null)} />
        </h3>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      {trial.reason !== "" && <p>{trial.reason}</p>}
      <dl className="facts">
        {Object.entries(trial.scores ?? {}).map(([metric, value]) => (
          <Fact key={metric} name={metric} value={score(value)} />
        ))}
        <Fact
          name={`${live.log.metric} by fold`}
          value={trial.folds
            .map((value) => (value === undefined ? "…" : value === null ? "failed" : score(value)))
            .join(", ")}
        />
        <Fact name="Fits" value={duration(trial.seconds)} />
        {trial.bytes > 0 && <Fact name="Memory of a fit" value={size(trial.bytes)} />}
        {Object.entries(trial.parameters).map(([name, value]) => (
          <Fact
            key={name}
            name={name}
            value={typeof value === "number" ? score(value) : String(value)}
          />
        ))}
      </dl>
    </section>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Of trials whose folds are drawn. */
const SPREAD_OVER = 10;
const STRIP = { width: 300, height: 22 };

/** Each of the best trials with a mark for each fold: what is best by a hair is within the spread of others. */
export function FoldSpread({ live }: { readonly live: LiveRun }) {
  useChanges(live, 1_000);
  const { log } = live;
  const best = bestTrials(log, SPREAD_OVER);
  const values = best.flatMap(({ folds }) => folds).filter((value) => typeof value === "number");
  if (values.length === 0) return <p className="note">No trial has finished yet.</p>;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (value: number): number => 6 + ((value - low) / (high - low || 1)) * (STRIP.width - 12);
  return (
    <>
      <p className="note">
        {log.metric} of the best trials: a dot for each fold, a bar at their mean.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section className="scroll" tabIndex={0} aria-label="Scores by fold">
        <table className="spread">
          <caption>Scores by fold</caption>
          <thead>
            <tr>
              <th scope="col">Trial</th>
              <th scope="col">
                {score(low)} to {score(high)}
              </th>
              <th scope="col" className="n">
                Mean ± spread
              </th>
            </tr>
          </thead>
          <tbody>
            {best.map((trial) => (
              <tr key={trial.number}>
                <th scope="row">
                  {trial.number} {trial.family}
                </th>
                <td>
                  <Strip trial={trial} x={x} />
                </td>
                <td className="n">
                  {score(trial.score)}
                  {Number.isNaN(trial.spread) ? "" : ` ± ${score(trial.spread)}`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function Strip({ trial, x }: { readonly trial: Trial; readonly x: (value: number) => number }) {
  const middle = STRIP.height / 2;
  return (
    <svg viewBox={`0 0 ${STRIP.width} ${STRIP.height}`} className="strip" aria-hidden="true">
      <line x1="0" x2={STRIP.width} y1={middle} y2={middle} className="rail" />
      {trial.folds.map(
        (value, fold) =>
          typeof value === "number" && (
            // biome-ignore lint/suspicious/noArrayIndexKey: folds are told apart by their place
            <circle key={fold} cx={x(value)} cy={middle} r="4" className="dot" />
          ),
      )}
      <rect x={x(trial.score) - 1.5} y="2" width="3" height={STRIP.height - 4} className="mean" />
    </svg>
  );
}

const LINE_PX = 24;
const LINES_PX = 240;
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The log in words, the latest first. */
export function RunLines({ live }: { readonly live: LiveRun }) {
  useChanges(live, 500);
  const box = useRef<HTMLDivElement>(null);
  const { lines } = live.log;
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_PX,
    overscan: 10,
  });
  if (lines.length === 0) return <p className="note">Nothing has happened yet.</p>;
  return (
    <div
      className="lines"
      ref={box}
      role="log"
      aria-live="off"
      aria-label="Log"
      style={{ height: Math.min(LINES_PX, rows.getTotalSize()) }}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
      tabIndex={0}
    >
      <div style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const line = lines[lines.length - 1 - index];
          return (
            line && (
              <p key={index} style={{ transform: `translateY(${start}px)` }} title={line.text}>
                <time dateTime={line.at}>
                  {line.at === "" ? "" : clock.format(new Date(line.at))}
                </time>{" "}
                {line.text}
              </p>
            )
          );
        })}
      </div>
    </div>
  );
}
