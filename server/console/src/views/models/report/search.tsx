/** How the run came to the model: its trials, its learning curves, and which parameters mattered. */

import {
  barsSpec,
  figure,
  foldSpreadSpec,
  type HistoryTrial,
  historySpec,
  lineSpec,
  percent,
  plural,
  score,
} from "@distillery/engine/charts";
import type { RunReport } from "../queries.ts";
import { FigureCard, Figures } from "./figure-card.tsx";

const LEADERS = 12;
const PARAMETERS = 12;
/** Rows of a table that is opened on demand. */
const ROWS = 200;

interface Props {
  readonly report: RunReport;
}

export function Search({ report }: Props) {
  return (
    <div className="columns">
      <History report={report} />
      <FoldSpread report={report} />
      <LearningCurves report={report} />
      <Parameters report={report} />
    </div>
  );
}

const familiesIn = ({ run }: RunReport): string[] => run.families.map(({ family }) => family);

/** Trials by number, with the best score of the first metric until then. */
function historyOf({ run, trials }: RunReport): HistoryTrial[] {
  const [metric] = run.metrics;
  if (metric === undefined) return [];
  let best: number | null = null;
  return trials.flatMap(({ number, family, state, scores }) => {
    const value = scores?.[metric.name] ?? null;
    if (value === null) return [];
    if (state === "finished") {
      const isBetter =
        best === null || (metric.direction === "minimize" ? value < best : value > best);
      if (isBetter) best = value;
    }
    return [{ number, family, state, score: value, best }];
  });
}

function History({ report }: Props) {
  const trials = historyOf(report);
  const [metric] = report.run.metrics;
  if (metric === undefined || trials.length < 2) return null;
  return (
    <FigureCard
      title={`History of ${metric.name}`}
      says={`The line is the best so far; it ends at ${score(trials.at(-1)?.best)}. Crosses are trials that were stopped early.`}
      chart={historySpec({
        trials,
        families: familiesIn(report),
        metric: metric.name,
        direction: metric.direction,
      })}
      table={
        <Figures
          caption="Trials"
          heads={["Trial", "Family", "State", metric.name, "Best so far"]}
          rows={trials
            .slice(0, ROWS)
            .map((trial) => [
              String(trial.number),
              trial.family,
              trial.state,
              score(trial.score),
              score(trial.best),
            ])}
        />
      }
    />
  );
}

function FoldSpread({ report }: Props) {
  const [metric] = report.run.metrics;
  const byNumber = new Map(report.trials.map((trial) => [trial.number, trial]));
  const leaders = report.leaderboard.slice(0, LEADERS).flatMap((number) => {
    const trial = byNumber.get(number);
    const mean = metric && trial?.scores?.[metric.name];
    if (trial === undefined || mean === null || mean === undefined) return [];
    const folds = trial.folds.filter((fold) => fold !== null);
    return [{ name: `trial ${number}`, family: trial.family, mean, folds }];
  });
  if (metric === undefined || leaders.length === 0) return null;
  return (
    <FigureCard
      title="The best trials, fold by fold"
      says="A tick is a fold, the dot their mean. Trials whose ticks overlap widely cannot be told apart by these data."
      chart={foldSpreadSpec(leaders, familiesIn(report), metric.name)}
      table={
        <Figures
          caption="The best trials"
          heads={["Trial", "Family", "Mean", "Folds"]}
          rows={leaders.map(({ name, family, mean, folds }) => [
            name,
            family,
            score(mean),
            folds.map((fold) => score(fold)).join(", "),
          ])}
        />
      }
    />
  );
}

function LearningCurves({ report: { learningCurves } }: Props) {
  const [first] = learningCurves ?? [];
  if (!learningCurves || !first) return null;
  return (
    <FigureCard
      title="Learning curves"
      says="Loss on each fold's held-out data by boosting round. A curve that still falls at its end could go on; one that rises was stopped late."
      chart={lineSpec({
        lines: learningCurves.map(({ trial, family, iterations, values }) => ({
          name: `${family}, trial ${trial}`,
          points: iterations.map((round, i): [number, number] => [round, values[i] ?? 0]),
        })),
        x: "round",
        y: `validation ${first.loss.replaceAll("_", " ")}`,
        faint: true,
        logWhereWide: true,
      })}
    />
  );
}

function Parameters({ report: { parameterImportance, run } }: Props) {
  return (parameterImportance ?? []).map(({ family, trials, fit, parameters }) => (
    <FigureCard
      key={family}
      title={`What mattered in ${family}`}
      says={`Share of the trials' ranks by ${run.metrics[0]?.name ?? "score"} that each parameter explains alone (fANOVA over ${plural(trials, "trial")}).${fit === null || fit < 0.1 ? " The surrogate hardly predicts trials it has not seen: weak evidence." : ""}`}
      chart={barsSpec(
        parameters
          .slice(0, PARAMETERS)
          .map(({ name, importance }) => ({ name, value: importance })),
        "share of the variance",
      )}
      table={
        <Figures
          caption={`Parameters of ${family}`}
          heads={["Parameter", "Importance", "Correlation of higher values with worse ranks"]}
          rows={parameters.map(({ name, importance, correlation }) => [
            name,
            percent(importance),
            figure(correlation),
          ])}
        />
      }
    />
  ));
}
