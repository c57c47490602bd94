/** A chart of the run's report under its title, with what it shows in words and as numbers. */

import type { Chart, Panels } from "@distillery/engine/charts";
import type { ReactNode } from "react";
import { ChartView } from "../../../ui/chart.tsx";
import { Card } from "../../../ui/page.tsx";

interface FigureCardProps {
  readonly title: string;
  /** One sentence that says what is to be seen; for everybody. */
  readonly says: string;
  readonly chart: Chart | Panels;
  readonly table?: ReactNode;
  readonly onPick?: (datum: Readonly<Record<string, unknown>>) => void;
}

export function FigureCard({ title, says, chart, table, onPick }: FigureCardProps) {
  return (
    <Card title={title}>
      <p className="note">{says}</p>
      <ChartView
        chart={chart}
        label={`${title}. ${says}`}
        table={table}
        {...(onPick && { onPick })}
      />
    </Card>
  );
}

/** Rows of figures under their heads: the same numbers as in the chart. */
export function Figures({
  caption,
  heads,
  rows,
}: {
  readonly caption: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="scroll figures" tabIndex={0} aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {heads.map((head, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: heads may be alike, as names of classes are anything
              <th key={place} scope="col" className={place > 0 ? "n" : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are told apart by their place
            <tr key={at}>
              {row.map((cell, place) =>
                place === 0 ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are told apart by their place
                  <th key={place} scope="row">
                    <bdi>{cell}</bdi>
                  </th>
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are told apart by their place
                  <td key={place} className="n">
                    {cell}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
