/** What becomes of two classes by the probability of one: thresholds, gains and lift. */

import {
  COSTS_SAY,
  costsTable,
  gainsSays,
  gainsSpec,
  gainsTable,
  liftSays,
  liftSpec,
  thresholdsSays,
  thresholdsTable,
} from "@distillery/engine/charts";
import { Card } from "../../../ui/page.tsx";
import type { RunReport } from "../queries.ts";
import { FigureCard, Figures } from "./figure-card.tsx";

/** @param rows what is predicted once, of many */
export function Thresholds({ of, rows }: { of: RunReport["thresholds"]; rows: string }) {
  if (!of) return null;
  return (
    <>
      <Card title="Thresholds" isWide>
        <p className="note">{thresholdsSays(of)}</p>
        <Figures caption="Thresholds" {...thresholdsTable(of, rows)} />
      </Card>
      <Card title="Thresholds by cost" isWide>
        <p className="note">{COSTS_SAY}</p>
        <Figures caption="Thresholds by cost" {...costsTable(of)} />
      </Card>
    </>
  );
}

/** @param rows what is predicted once, of many */
export function Gains({ of, rows }: { of: RunReport["gains"]; rows: string }) {
  if (!of) return null;
  const table = <Figures caption="Gains and lift" {...gainsTable(of, rows)} />;
  return (
    <>
      <FigureCard
        title="Cumulative gains"
        says={gainsSays(of, rows)}
        chart={gainsSpec(of, rows)}
        table={table}
      />
      <FigureCard title="Lift" says={liftSays(of, rows)} chart={liftSpec(of, rows)} table={table} />
    </>
  );
}
