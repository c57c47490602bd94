/** How far a run is: its phase, its best score, the time that is left, what it has used. */

import { useEffect, useState } from "react";
import { Link } from "react-router";
import { size } from "../../../ui/numbers.ts";
import { shortened } from "../../../ui/text.tsx";
import { useRunningRun } from "../../../ui/use-running-run.ts";
import { duration, score } from "../figures.ts";
import type { LiveRun } from "./live-run.ts";
import { useChanges } from "./use-live.ts";

const PHASES: Readonly<Record<string, string>> = {
  new: "Reading the data",
  searching: "Searching",
  selecting: "Selecting the best blend",
  fitting: "Fitting the model",
  saving: "Measuring and saving the model",
  done: "Done",
};

interface HeadProps {
  readonly live: LiveRun;
  readonly isOpen: boolean;
  /** Whether nobody works on it yet. */
  readonly isWaiting: boolean;
}

export function RunHead({ live, isOpen, isWaiting }: HeadProps) {
  useChanges(live, 250);
  useSeconds(isOpen && live.isConnected === true);
  const { progress, log } = live;
  // The service tells how far it is while something changes; between, the clock goes on.
  const since =
    isOpen && !isWaiting && progress && live.isConnected
      ? (performance.now() - live.progressAt) / 1000
      : 0;
  const seconds = (progress?.seconds ?? 0) + since;
  const left =
    progress?.estimate == null ? null : Math.max(0, isOpen ? progress.estimate - since : 0);
  const done = isOpen ? (left === null ? null : seconds / (seconds + left || 1)) : 1;
  const phase = isWaiting ? "Waiting for its turn" : (PHASES[progress?.phase ?? log.phase] ?? "");
  const { counts, plan } = log;
  const budget = plan?.budget ?? null;
  return (
    <>
      {isOpen && (
        <div className="far">
          <div className="head">
            <strong>{phase}</strong>
            <span>
              {isWaiting ? (
                <Waiting />
              ) : left === null ? (
                "How long it takes is not known before the first fits."
              ) : (
                timeLeft(left, since)
              )}
            </span>
          </div>
          <progress
            aria-label={phase}
            max={1}
            {...(done === null ? {} : { value: Math.min(0.99, done) })}
          />
        </div>
      )}
      <dl className="tiles">
        <Tile
          name={log.metric === "" ? "Best score" : `Best ${log.metric}`}
          value={score(log.best?.score)}
          more={log.best ? `trial ${log.best.number}, ${log.best.family}` : "no trial has finished"}
        />
        <Tile
          name="Trials"
          value={counts.finished.toLocaleString("en")}
          more={[
            counts.running > 0 && isOpen ? `${counts.running} at work or next` : "",
            counts.pruned > 0 ? `${counts.pruned} pruned` : "",
            counts.failed > 0 ? `${counts.failed} failed` : "",
            counts.refused > 0 ? `${counts.refused} refused` : "",
            counts.dropped > 0 ? `${counts.dropped} dropped` : "",
          ]
            .filter(Boolean)
            .join(", ")}
        />
        <Tile
          name="Time"
          value={duration(seconds)}
          more={
            plan === null
              ? "the limit is known once it is planned"
              : budget === null
                ? "no limit was given"
                : `of ${duration(budget)} allowed`
          }
        />
        <Tile
          name="Fits"
          value={duration(log.fitSeconds)}
          more={
            log.largestFit > 0
              ? `added over threads; up to ${size(log.largestFit)} each`
              : "added over threads"
          }
        />
      </dl>
    </>
  );
}

/** What it waits for, as far as that is known. */
function Waiting() {
  const running = useRunningRun();
  if (running === undefined) return null;
  if (running === null) return "No run is at work. If none begins soon, no worker takes jobs.";
  return (
    <>
      <Link to={`/train/runs/${running.id}`}>{shortened(running.name, 40)}</Link> is at work; runs
      that wait are taken in their order.
    </>
  );
}

/** After so long without news of a fit, nothing is nearly done. */
const OVERDUE_SECONDS = 10;
const DAY_SECONDS = 86_400;

/**
 * @param left seconds, as they were told, less what has passed since
 * @param since seconds since that was told
 */
function timeLeft(left: number, since: number): string {
  if (left >= 2 * DAY_SECONDS) return `About ${Math.round(left / DAY_SECONDS)} days left`;
  if (left >= 1) return `About ${duration(coarse(left))} left`;
  return since > OVERDUE_SECONDS ? "Takes longer than expected" : "Nearly done";
}

/** As exactly as an estimate is worth it: seconds by five, minutes by halves, then whole ones. */
function coarse(seconds: number): number {
  const step = seconds < 60 ? 5 : seconds < 600 ? 30 : 60;
  return Math.ceil(seconds / step) * step;
}

function Tile({
  name,
  value,
  more,
}: {
  readonly name: string;
  readonly value: string;
  readonly more: string;
}) {
  return (
    <div className="tile">
      <dt>{name}</dt>
      <dd>
        {value}
        <small>{more}</small>
      </dd>
    </div>
  );
}

/** Renders again each second while it runs. */
function useSeconds(isRunning: boolean): void {
  const [, tick] = useState(0);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
}
