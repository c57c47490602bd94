/** What stretches of time a model of sequences goes by. */

import {
  figure,
  overTimeSpec,
  partsSpec,
  percent,
  plural,
  shortened,
} from "@distillery/engine/charts";
import { Empty } from "../../ui/page.tsx";
import type { RunReport, TrainedModel } from "./queries.ts";
import { FigureCard, Figures } from "./report/figure-card.tsx";
import { WithReport } from "./report/with-report.tsx";
import { points } from "./what-if/promise.ts";

type Section = NonNullable<RunReport["sequences"]>;

export function Sequences({ model }: { readonly model: TrainedModel }) {
  return (
    <WithReport model={model}>
      {(report) =>
        report.sequences ? (
          <Segments section={report.sequences} label={shortened(report.run.label, 40)} />
        ) : (
          <Empty title="No stretches of time were looked at">
            <p>
              They are looked at when a run ends, for some seconds at most, which did not suffice
              for a model that takes so long to answer. Fewer families, or the preset small, make
              faster ones; of one sequence{" "}
              <code>/v1/models/{"{model_id}"}/explain?segments=10</code> tells it at any time.
            </p>
          </Empty>
        )
      }
    </WithReport>
  );
}

function Segments({ section, label }: { readonly section: Section; readonly label: string }) {
  const written = (value: number): string =>
    section.space === "probability" ? percent(value) : figure(value);
  const moved = section.space === "probability" ? points : figure;
  return (
    <div className="columns">
      {section.typical.map((typical) => (
        <FigureCard
          key={`${typical.row} ${typical.of}`}
          title={
            typical.of === null
              ? `A sequence whose ${label} is ${figure(typical.actual)}`
              : `A typical sequence of class ${shortened(typical.of, 60)}`
          }
          says={`${typical.of === null ? "Predicted" : `Probability of ${shortened(typical.of, 40)}`}: ${written(typical.prediction)}; ${written(typical.base)} with every step missing. The fuller the colour, the more that stretch of time adds.`}
          chart={overTimeSpec(typical, {
            towards:
              typical.of === null ? `raises ${label}` : `speaks for ${shortened(typical.of, 40)}`,
            away: typical.of === null ? `lowers ${label}` : "speaks against it",
          })}
          table={
            <Figures
              caption={`What stretches of ${plural(typical.steps, "step")} add`}
              heads={["Channel", "From step", "To step", "Adds"]}
              rows={typical.segments.map(({ column, start, end, contribution }) => [
                shortened(column, 60),
                String(start),
                String(end - 1),
                moved(contribution),
              ])}
            />
          }
        />
      ))}
      <FigureCard
        title="When it is decided"
        says={`How much each stretch moves predictions on average over ${plural(section.explained, "sequence")}, each cut into ${section.parts} parts of equal length. The fuller, the more.`}
        chart={partsSpec(section)}
        table={
          <Figures
            caption="Mean size of contributions"
            heads={["Channel", "Part", "Mean size"]}
            rows={section.sizes.map(({ column, part, size }) => [
              shortened(column, 60),
              String(part),
              moved(size),
            ])}
          />
        }
      />
    </div>
  );
}
