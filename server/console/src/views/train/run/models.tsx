/** The models of a run, with the trials that they are made of. */

import { weightTexts, worseThanTheBest } from "@distillery/engine/charts";
import { useState } from "react";
import { Link } from "react-router";
import { Button } from "../../../ui/button.tsx";
import { score } from "../figures.ts";
import type { Selection } from "./entries.ts";
import type { LiveRun } from "./live-run.ts";
import { useChanges } from "./use-live.ts";

/** Of a sweep's many, before more are asked for. */
const SHOWN = 3;
const MEMBERS = 12;

interface ModelsProps {
  readonly live: LiveRun;
  readonly modelIds: readonly string[];
  readonly isDone: boolean;
  readonly onTrial: (trial: number) => void;
}

/** Whether the best trial, which its own scores have chosen, stands before what was chosen fold by fold. */
function isFlattered(
  { log }: LiveRun,
  { kind, scores, meanFoldScores, notes }: Omit<Selection, "members" | "stacked">,
): boolean {
  const own = meanFoldScores[log.metric] ?? scores[log.metric];
  if (kind !== "ensemble" || log.best === null || typeof own !== "number") return false;
  // Of forecasts the notes say it, with more figures.
  const isTold = notes.some((note) => note.startsWith("The best trial has"));
  return !isTold && (log.plan?.folds ?? 0) > 1 && log.isBetter(log.best.score, own);
}

/** What a blend is to be held against its trials by, whose scores are means over folds. */
function overFolds(
  metric: string,
  members: Selection["members"],
  meanFoldScores: Selection["meanFoldScores"],
): string {
  const mean = meanFoldScores[metric];
  if (members.length < 2 || mean === null || mean === undefined) return "";
  return `; the mean of ${metric} over the folds, as trials have it, is ${score(mean)}`;
}

/** The models that were selected, with the trials that they are made of. */
export function Models({ live, modelIds, isDone, onTrial }: ModelsProps) {
  useChanges(live, 1_000);
  const { selections, trials, metric } = live.log;
  const [isWhole, setWhole] = useState(selections.length <= SHOWN + 1);
  const shared = (selections[0]?.notes ?? []).filter((note) =>
    selections.every(({ notes }) => notes.includes(note)),
  );
  const weights = selections.map(({ members, stacked }) =>
    weightTexts(
      members.map(({ weight }) => weight),
      stacked,
    ),
  );
  return (
    <>
      <ol className="models">
        {(isWhole ? selections : selections.slice(0, SHOWN)).map(
          ({ kind, members, scores, meanFoldScores, notes }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: models are told apart by their place
            <li key={index}>
              <h3>
                {isDone && modelIds[index] ? (
                  <Link to={`/models/${modelIds[index]}`}>Model {index + 1}</Link>
                ) : (
                  `Model ${index + 1}`
                )}
                {kind === "ensemble" && members.length > 1
                  ? `, a blend of ${members.length} trials`
                  : ", one trial"}
              </h3>
              <p>
                {Object.entries(scores)
                  .map(([name, value]) => `${name} ${score(value)}`)
                  .join(", ")}{" "}
                <span className="note">
                  on held-out rows{overFolds(metric, members, meanFoldScores)}
                </span>
              </p>
              <ul className="members">
                {members.slice(0, MEMBERS).map(({ trial, weight }, place) => (
                  <li key={trial}>
                    <Button look="quiet" onClick={() => onTrial(trial)}>
                      Trial {trial}
                    </Button>
                    <span>{trials[trial]?.family}</span>
                    <meter min={0} max={1} value={weight} aria-label={`Weight of trial ${trial}`} />
                    <span className="n">{weights[index]?.[place]}</span>
                    <span className="note">
                      {metric} {score(trials[trial]?.score)}
                    </span>
                  </li>
                ))}
              </ul>
              {members.length > MEMBERS && (
                <p className="note">And {members.length - MEMBERS} lighter ones.</p>
              )}
              {selections.length === 1 &&
                isFlattered(live, { kind, scores, meanFoldScores, notes }) && (
                  <p className="note">That is {worseThanTheBest({ one: "fold", many: "folds" })}</p>
                )}
              {notes
                .filter((note) => !shared.includes(note))
                .map((note) => (
                  <p key={note} className="note">
                    {note}
                  </p>
                ))}
            </li>
          ),
        )}
      </ol>
      {!isWhole && selections.length > SHOWN && (
        <Button onClick={() => setWhole(true)}>Show all {selections.length} models</Button>
      )}
      {shared.map((note) => (
        <p key={note} className="note">
          {note}
        </p>
      ))}
    </>
  );
}
