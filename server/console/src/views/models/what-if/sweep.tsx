/** What one column alone does to the prediction: all else stays as the row has it. */

import type { Outputs } from "@distillery/client";
import { barsSpec, type Chart, figure, SERIES } from "@distillery/engine/charts";
import { useMemo } from "react";
import { ask } from "../../../api/client.ts";
import { ChartView } from "../../../ui/chart.tsx";
import { DataTable } from "../../../ui/listing.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { isolated, Text } from "../../../ui/text.tsx";
import { type Said, saidOf } from "./answer.ts";
import { shown } from "./field-control.tsx";
import { type Cell, type Field, type Row, sweepOf } from "./fields.ts";
import { useLatest } from "./use-latest.ts";

interface SweepProps {
  readonly modelId: string;
  readonly fields: readonly Field[];
  readonly field: Field;
  readonly row: Row;
  readonly label: string;
  /** Whose probability is drawn; null of values. */
  readonly of: string | null;
  readonly onField: (column: string) => void;
}

/** Slower than the prediction itself, of which it asks some dozens. */
const PAUSE_MS = 150;

export function Sweep({ modelId, fields, field, row, label, of, onField }: SweepProps) {
  const cells = useMemo(() => sweepOf(field), [field]);
  const question = useMemo(
    () => (cells.length < 2 ? null : { column: field.column, cells, row }),
    [cells, field, row],
  );
  const { settled, error, retry } = useLatest(
    question,
    ({ column, cells: each, row: rest }, signal) =>
      ask<Outputs["models"]["predict"]>(`/v1/models/${encodeURIComponent(modelId)}/predict`, {
        method: "POST",
        body: { instances: each.map((cell) => ({ ...rest, [column]: cell })) },
        signal,
      }),
    PAUSE_MS,
  );
  const answered = settled?.question.column === field.column ? settled : null;
  const points = useMemo(
    () =>
      answered?.answer.predictions.map((prediction, place) => {
        const said = saidOf(prediction);
        return { cell: answered.question.cells[place] ?? null, ...heightOf(said, of) };
      }) ?? [],
    [answered, of],
  );
  const what = of === null ? label : `probability of ${of}`;
  const chart = useMemo(
    () => (points.length === 0 ? null : chartOf(field, points, row[field.column] ?? null, what)),
    [field, points, row, what],
  );
  return (
    <section className="card">
      <div className="head">
        <h2>What one column does</h2>
        <label className="row">
          <span className="note">Column</span>
          <select value={field.column} onChange={({ target }) => onField(target.value)}>
            {fields.map(({ column }) => (
              <option key={column} value={column}>
                {isolated(column)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p className="note">
        The prediction for every value of <Text of={field.column} most={80} />, all else as in your
        row.
      </p>
      {error !== null && <ProblemNote error={error} retry={retry} />}
      {question === null ? (
        <p className="note">This column has no range to go through.</p>
      ) : (
        chart && (
          <ChartView
            chart={chart}
            label={`${what} by ${field.column}`}
            table={
              <DataTable
                caption={`${what} by ${field.column}`}
                items={points}
                keyOf={({ cell }) => String(cell)}
                columns={[
                  { head: field.column, cell: ({ cell }) => shown(cell) },
                  { head: what, cell: ({ value }) => figure(value), isNumber: true },
                ]}
              />
            }
          />
        )
      )}
    </section>
  );
}

interface Point {
  readonly cell: Cell;
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

function heightOf({ value, interval, probabilities }: Said, of: string | null) {
  if (of !== null) {
    const probability = probabilities.find(([name]) => name === of)?.[1] ?? 0;
    return { value: probability, low: null, high: null };
  }
  return { value: value ?? 0, low: interval?.[0] ?? null, high: interval?.[1] ?? null };
}

/** A line with its interval and where the row is; of choices, bars. */
function chartOf(field: Field, points: readonly Point[], now: Cell, title: string): Chart {
  if (field.kind === "choice") {
    return barsSpec(
      points.map(({ cell, value }) => ({
        name: cell === now ? `▸ ${shown(cell)}` : shown(cell),
        value,
      })),
      title,
    );
  }
  const place = (cell: Cell): number | null =>
    typeof cell === "number" ? cell : typeof cell === "string" ? Date.parse(cell) : null;
  const values = points.map((point) => ({ ...point, at: place(point.cell) }));
  const x = {
    field: "at",
    type: field.kind === "time" ? "temporal" : "quantitative",
    title: field.column,
    scale: { zero: false, nice: false },
    axis: { tickCount: 6, grid: false },
  } as const;
  const y = {
    type: "quantitative",
    title,
    scale: { zero: false },
    axis: { tickCount: 5 },
  } as const;
  const at = place(now);
  return {
    legend: [],
    spec: {
      height: 240,
      data: { values },
      layer: [
        {
          mark: { type: "area", color: SERIES[0], opacity: 0.14, tooltip: false },
          transform: [{ filter: "isValid(datum.low)" }],
          encoding: { x, y: { ...y, field: "low" }, y2: { field: "high" } },
        },
        {
          mark: { type: "line", color: SERIES[0], strokeWidth: 2 },
          encoding: { x, y: { ...y, field: "value" } },
        },
        ...(at === null
          ? []
          : [
              {
                data: { values: [{ at }] },
                mark: { type: "rule", color: "var(--s2)", strokeWidth: 2 },
                encoding: { x },
              } as const,
            ]),
      ],
    },
  };
}
