/** How well the model does on rows that it had not learned from, beyond one score. */

import {
  confusionSpec,
  drawnRows,
  figure,
  lineSpec,
  percent,
  plural,
  reliabilitySpec,
  residualGroupsSpec,
  residualSpec,
  scatterSpec,
  shortened,
  whole,
} from "@distillery/engine/charts";
import type { RunReport } from "../queries.ts";
import { Gains, Thresholds } from "./decision.tsx";
import { FigureCard, Figures } from "./figure-card.tsx";

interface Props {
  readonly report: RunReport;
}

export function Outcome({ report }: Props) {
  const rows = report.run.task.startsWith("sequence") ? "sequences" : "rows";
  return (
    <div className="columns">
      <Confusion report={report} />
      <Thresholds of={report.thresholds} rows={rows} />
      <Curves report={report} />
      <Gains of={report.gains} rows={rows} />
      <Calibration report={report} />
      <Residuals report={report} />
      <Quantiles report={report} />
    </div>
  );
}

function Confusion({ report: { confusion } }: Props) {
  if (!confusion) return null;
  return (
    <FigureCard
      title="Confusion"
      says={`Each row is one true class; the fuller a cell, the larger its share of the row. ${percent(confusion.accuracy)} are told right.`}
      chart={confusionSpec(confusion)}
      table={
        <Figures
          caption="Classes"
          heads={["Class", "Rows", "Predicted", "Precision", "Recall", "F1"]}
          rows={confusion.classes.map(({ name, rows, predicted, precision, recall, f1 }) => [
            shortened(name, 60),
            whole(rows),
            predicted === undefined ? "–" : whole(predicted),
            figure(precision),
            figure(recall),
            figure(f1),
          ])}
        />
      }
    />
  );
}

function Curves({ report: { thresholdCurves } }: Props) {
  const [first] = thresholdCurves ?? [];
  if (!thresholdCurves || !first) return null;
  const many = thresholdCurves.length > 1;
  const whose = many
    ? "One class against the rest, for the most frequent classes."
    : `Of the class ${shortened(first.of, 60)}.`;
  const table = (
    <Figures
      caption="Areas under the curves"
      heads={["Class", "ROC AUC", "Average precision", "Share of rows"]}
      rows={thresholdCurves.map(({ of, rocAuc, averagePrecision, prevalence }) => [
        shortened(of, 60),
        figure(rocAuc),
        figure(averagePrecision),
        percent(prevalence),
      ])}
    />
  );
  return (
    <>
      <FigureCard
        title="ROC curve"
        says={`${whose}${many ? "" : ` Area ${figure(first.rocAuc)}.`} The dashed line is guessing.`}
        chart={lineSpec({
          lines: thresholdCurves.map(({ of, roc }) => ({ name: of, points: roc })),
          x: "false-positive rate",
          y: "true-positive rate",
          unit: true,
          reference: [
            [0, 0],
            [1, 1],
          ],
        })}
        table={table}
      />
      <FigureCard
        title="Precision and recall"
        says={`${whose}${many ? "" : ` Average precision ${figure(first.averagePrecision)}; guessing has ${figure(first.prevalence)}.`}`}
        chart={lineSpec({
          lines: thresholdCurves.map(({ of, precisionRecall }) => ({
            name: of,
            points: precisionRecall,
          })),
          x: "recall",
          y: "precision",
          unit: true,
        })}
        table={table}
      />
    </>
  );
}

function Calibration({ report: { reliability } }: Props) {
  if (!reliability) return null;
  const { bins, calibrationError, of } = reliability;
  return (
    <FigureCard
      title="Calibration"
      says={`How often what was given a probability${of === null ? "" : ` of ${shortened(of, 60)}`} came true. On the dashed line probabilities mean what they say; here they are off by ${percent(calibrationError)} on average.`}
      chart={reliabilitySpec(bins)}
      table={
        <Figures
          caption="Calibration"
          heads={["Probability given", "Came true", "95 % interval", "Rows"]}
          rows={bins.map((bin) => [
            percent(bin.predicted),
            percent(bin.observed),
            `${percent(bin.low)} … ${percent(bin.high)}`,
            whole(bin.rows),
          ])}
        />
      }
    />
  );
}

function Residuals({ report: { residuals, run } }: Props) {
  if (!residuals) return null;
  const { sample, rows, mean, medianAbsolute, quantiles, groups } = residuals;
  const drawn = drawnRows(sample);
  const hidden = sample.length - drawn.length;
  return (
    <>
      <FigureCard
        title="Predicted and actual"
        says={`${whole(sample.length)} of ${whole(rows)} rows. On the dashed line a prediction is right.${hidden > 0 ? ` ${plural(hidden, "row")} far from all others ${hidden === 1 ? "is" : "are"} not drawn.` : ""}`}
        chart={scatterSpec(drawn, shortened(run.label, 40))}
      />
      <FigureCard
        title="Residuals"
        says={`Half of the predictions are within ${figure(medianAbsolute)}; on average actual − predicted is ${figure(mean)}.`}
        chart={residualSpec(residuals, "rows")}
        table={
          <Figures
            caption="Quantiles of actual − predicted"
            heads={["Quantile", "actual − predicted"]}
            rows={quantiles.map(({ q, value }) => [percent(q, 0), figure(value)])}
          />
        }
      />
      {groups && (
        <FigureCard
          title="Residuals by prediction"
          says={`The median of actual − predicted in ${plural(groups.length, "group")} of rows by what is predicted; lines hold the middle 80 %. Above the dashed line predictions are too low.`}
          chart={residualGroupsSpec(groups, shortened(run.label, 40))}
          table={
            <Figures
              caption="Residuals by prediction"
              heads={["Predicted, mean", "Actual, mean", "Residual, median", "Middle 80 %", "Rows"]}
              rows={groups.map(({ predicted, actual, low, median, high, rows: count }) => [
                figure(predicted),
                figure(actual),
                figure(median),
                `${figure(low)} … ${figure(high)}`,
                whole(count),
              ])}
            />
          }
        />
      )}
    </>
  );
}

function Quantiles({ report: { quantiles } }: Props) {
  if (!quantiles) return null;
  const { levels, rows } = quantiles;
  return (
    <FigureCard
      title="Calibration of quantiles"
      says={`How large a share of ${plural(rows, "row")} is not above its predicted quantile. On the dashed line quantiles are what their levels say.`}
      chart={reliabilitySpec(
        levels.map(({ level, observed, low, high }) => ({
          predicted: level,
          observed,
          low,
          high,
          rows,
        })),
        { x: "level", y: "share not above" },
      )}
      table={
        <Figures
          caption="Calibration of quantiles"
          heads={["Level", "Not above", "95 % interval", "Pinball loss"]}
          rows={levels.map(({ level, observed, low, high, pinball }) => [
            String(level),
            percent(observed),
            `${percent(low)} … ${percent(high)}`,
            figure(pinball),
          ])}
        />
      }
    />
  );
}
