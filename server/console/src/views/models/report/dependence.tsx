/** How predictions change with the columns that the model relies on most. */

import {
  dependenceNote,
  dependenceRange,
  dependenceSays,
  dependenceSpec,
  dependenceTable,
  dependenceUnit,
  shortened,
} from "@distillery/engine/charts";
import type { RunReport } from "../queries.ts";
import { FigureCard, Figures } from "./figure-card.tsx";

export function Dependence({ report: { dependence, run } }: { readonly report: RunReport }) {
  if (!dependence) return null;
  const said = dependenceUnit(dependence, run.label);
  const range = dependenceRange(dependence);
  return (
    <>
      <h2>How predictions change with a column</h2>
      <p className="note">{dependenceNote(dependence)}</p>
      <div className="columns">
        {dependence.columns.map((column) => (
          <FigureCard
            key={column.column}
            title={shortened(column.column, 60)}
            says={dependenceSays(column, range)}
            chart={dependenceSpec(column, { of: dependence.of, said, range })}
            table={
              <Figures
                caption={`Predictions by ${shortened(column.column, 60)}`}
                {...dependenceTable(column, dependence.of)}
              />
            }
          />
        ))}
      </div>
    </>
  );
}
