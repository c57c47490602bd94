/** The functions that an additive model is a sum of: what each feature and each pair adds. */

import {
  figure,
  shapeGridSpec,
  shapeLevelsSpec,
  shapeStepsSpec,
  shapesNote,
  shapeUnit,
  shortened,
  termRows,
  termSays,
} from "@distillery/engine/charts";
import type { RunReport } from "../queries.ts";
import { FigureCard, Figures } from "./figure-card.tsx";

export function Shapes({ report: { shapes, run } }: { readonly report: RunReport }) {
  if (!shapes || shapes.terms.length === 0) return null;
  const { of } = shapes;
  const unit = shapeUnit(shapes, run.label);
  return (
    <>
      <h2>Shape functions</h2>
      <p className="note">{shapesNote(shapes, run.label)}</p>
      <div className="columns">
        {shapes.terms.map((term) => (
          <FigureCard
            key={term.feature}
            title={shortened(term.feature, 60)}
            says={termSays(term)}
            chart={
              term.steps
                ? shapeStepsSpec(term, { of, y: unit })
                : shapeLevelsSpec(term, { of, x: unit })
            }
            table={
              <Figures
                caption={`The shape of ${shortened(term.feature, 60)}`}
                {...termRows(term, of)}
              />
            }
          />
        ))}
        {shapes.pairs.map((pair) => (
          <FigureCard
            key={`${pair.down.feature} ${pair.across.feature}`}
            title={`${shortened(pair.down.feature, 40)} with ${shortened(pair.across.feature, 40)}`}
            says={`What both together add for ${shortened(pair.of ?? run.label, 60)} beyond what each adds alone. Mean size ${figure(pair.size)}. Cells without a training row are blank.`}
            chart={shapeGridSpec(pair)}
          />
        ))}
      </div>
    </>
  );
}
