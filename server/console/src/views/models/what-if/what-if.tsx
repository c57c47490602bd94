/** A row to play with: what the model would say of it, and why, while its values are moved. */

import type { Outputs } from "@distillery/client";
import { figure, percent } from "@distillery/engine/charts";
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useHref, useLocation, useSearchParams } from "react-router";
import { ask } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { faultAt } from "../../../ui/field.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { isolated, Text } from "../../../ui/text.tsx";
import { type TrainedModel, useCard, useReport } from "../queries.ts";
import { baseTold, pathOf, type Said, saidOf, scaleOf } from "./answer.ts";
import { FieldControl } from "./field-control.tsx";
import { type Cell, drawnRow, type Field, fieldsOf, type Row, typicalRow } from "./fields.ts";
import { points } from "./promise.ts";
import { SaidPanel } from "./said-panel.tsx";
import { Sweep } from "./sweep.tsx";
import { useLatest } from "./use-latest.ts";
import { Waterfall } from "./waterfall.tsx";
import "./what-if.css";

/** Fields that are there at once; the others matter less. */
const SHOWN = 10;
const PAUSE_MS = 40;
/** Between the last move and the address that says it. */
const ADDRESS_MS = 400;

export function WhatIf({ model }: { readonly model: TrainedModel }) {
  const card = useCard(model.id);
  const report = useReport(model.job_id);
  // Without the report there are fewer figures; the form does not wait for one that is gone.
  const isReady = card.data !== undefined && (report.data !== undefined || report.isError);
  const fields = useMemo(
    () => (isReady ? fieldsOf(card.data, report.data?.data.columns) : []),
    [isReady, card.data, report.data],
  );
  if (card.error) return <ProblemNote error={card.error} retry={() => void card.refetch()} />;
  if (!isReady || card.data === undefined) return <Loading label="Preparing a typical row" />;
  const label = report.data?.data.columns.find(({ role }) => role === "label")?.numbers;
  const coverage = card.data.uncertainty?.["coverage"];
  return (
    <Play
      model={model}
      fields={fields}
      label={card.data.task.label}
      classes={card.data.task.classes}
      base={baseTold(card.data.members.map(({ family }) => family))}
      coverage={typeof coverage === "number" ? coverage : null}
      range={label ? [label.min, label.max] : null}
    />
  );
}

interface PlayProps {
  readonly model: TrainedModel;
  readonly fields: readonly Field[];
  readonly label: string;
  readonly classes: readonly string[];
  /** What reasons begin with, in words. */
  readonly base: string;
  readonly coverage: number | null;
  readonly range: readonly [number, number] | null;
}

interface Answer {
  readonly predicted: Outputs["models"]["predict"];
  readonly explained: Outputs["models"]["explain"];
}

function Play({ model, fields, label, classes, base, coverage, range }: PlayProps) {
  const typical = useMemo(() => typicalRow(fields), [fields]);
  const [row, setRow, changes] = useRow(typical);
  const [areAllShown, showAll] = useState(false);
  const [column, setColumn] = useState(fields[0]?.column ?? "");
  const [chosen, setChosen] = useState<string | null>(null);
  const path = `/v1/models/${encodeURIComponent(model.id)}`;
  const answering = useCallback(
    async (instance: Row, signal: AbortSignal): Promise<Answer> => {
      const asked = { method: "POST", body: { instances: [instance] }, signal } as const;
      const [predicted, explained] = await Promise.all([
        ask<Answer["predicted"]>(`${path}/predict`, asked),
        ask<Answer["explained"]>(`${path}/explain`, asked),
      ]);
      return { predicted, explained };
    },
    [path],
  );
  const { settled, error, isBehind, retry } = useLatest(row, answering, PAUSE_MS);
  const usual = useUsual(typical, answering);
  const first = settled?.answer.predicted.predictions[0];
  const said = first === undefined ? null : saidOf(first);
  // Of two classes the second is explained; of more, the one that is said, unless another is chosen.
  const of =
    classes.length === 0
      ? null
      : classes.length === 2
        ? classes[1]!
        : (chosen ?? said?.label ?? null);
  const reason = settled === null ? null : pathOf(settled.answer.explained, of);
  const scale = scaleOf(settled?.answer.explained.space ?? "identity");
  const isShare = settled?.answer.explained.space === "probability";
  const field = fields.find((each) => each.column === column) ?? fields[0];
  const rest = useDeferredValue(settled?.question ?? row);
  const set = (name: string, value: Cell): void => setRow({ ...row, [name]: value });
  const visible = areAllShown ? fields : fields.slice(0, SHOWN);
  return (
    <div className="what-if">
      <section className="card what-if-form" aria-labelledby="what-if-row">
        <div className="head">
          <h2 id="what-if-row">Your row</h2>
          <div className="actions">
            <Button
              onClick={() => setRow(drawnRow(fields, Math.random))}
              title="Each value is drawn from the training data"
            >
              Random row
            </Button>
            <Button onClick={() => setRow(typical)} disabled={changes === 0}>
              Typical row
            </Button>
          </div>
        </div>
        <p className="note">
          It begins as a typical row of the training data. Move a value and watch the prediction.
          What matters most to the model stands first.
        </p>
        {visible.map((each) => (
          <FieldControl
            key={each.column}
            field={each}
            value={row[each.column] ?? null}
            fault={faultAt(error, `instances.0.${each.column}`)}
            onChange={(value) => {
              set(each.column, value);
              setColumn(each.column);
            }}
            onFocus={() => setColumn(each.column)}
          />
        ))}
        {fields.length > SHOWN && (
          <Button onClick={() => showAll(!areAllShown)} aria-expanded={areAllShown}>
            {areAllShown ? `Show the first ${SHOWN}` : `Show all ${fields.length} columns`}
          </Button>
        )}
      </section>
      <div className="what-if-answer">
        <section className="card what-if-said">
          <h2 className="unseen">Prediction</h2>
          {error !== null && <ProblemNote error={error} retry={retry} />}
          {said === null ? (
            error === null && <Loading label="Predicting" />
          ) : (
            <SaidPanel
              said={said}
              usual={usual}
              label={label}
              coverage={coverage}
              range={range}
              isBehind={isBehind}
            />
          )}
          <Warnings of={settled?.answer.predicted.warnings ?? []} />
        </section>
        {reason && settled && (
          <section className="card">
            <div className="head">
              <h2>Why</h2>
              {classes.length > 2 && (
                <label className="row">
                  <span className="note">Probability of</span>
                  <select
                    value={chosen ?? ""}
                    onChange={({ target }) => setChosen(target.value === "" ? null : target.value)}
                  >
                    <option value="">what is predicted</option>
                    {classes.map((name) => (
                      <option key={name} value={name}>
                        {isolated(name)}
                      </option>
                    ))}
                  </select>
                </label>
              )}
            </div>
            <p className="note">
              {of === null ? (
                "Each column moves the prediction up or down, from what stands in the first line."
              ) : (
                <>
                  Each column moves the {scale.name} of <Text of={of} most={60} /> up or down
                  {scale.hint}
                </>
              )}
            </p>
            <Waterfall
              path={reason}
              base={base}
              row={settled.question}
              written={isShare ? percent : figure}
              moved={isShare ? points : figure}
              leastRoom={isShare ? 0.1 : range ? 0.05 * (range[1] - range[0]) : 0}
              of={of ?? label}
            />
          </section>
        )}
        {field && (
          <Sweep
            modelId={model.id}
            fields={fields}
            field={field}
            row={rest}
            label={label}
            of={of}
            onField={setColumn}
          />
        )}
      </div>
    </div>
  );
}

/** What is said of the typical row: once, to compare with. */
function useUsual(
  typical: Row,
  answering: (row: Row, signal: AbortSignal) => Promise<Answer>,
): Said | null {
  const { settled } = useLatest(typical, answering, 0);
  const first = settled?.answer.predicted.predictions[0];
  return first === undefined ? null : saidOf(first);
}

function Warnings({ of }: { readonly of: readonly string[] }) {
  if (of.length === 0) return null;
  return (
    <div className="warnings">
      <ul>
        {of.slice(0, 5).map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
        {of.length > 5 && <li>and {of.length - 5} more</li>}
      </ul>
    </div>
  );
}

/** The row, and what of it is not typical in the address: a row can be shared. */
function useRow(typical: Row): [Row, (row: Row) => void, number] {
  const [params, setParams] = useSearchParams();
  const [row, setRow] = useState<Row>(() => ({ ...typical, ...given(params.get("row"), typical) }));
  const changed = Object.entries(row).filter(([column, cell]) => cell !== typical[column]);
  const text = changed.length === 0 ? null : JSON.stringify(Object.fromEntries(changed));
  const path = useHref(useLocation().pathname);
  useEffect(() => {
    const timer = setTimeout(() => {
      // Who has left already, for a view that is still loading, is not called back.
      const shown = new URLSearchParams(window.location.search);
      const isGone = window.location.pathname !== new URL(path, window.location.href).pathname;
      if (isGone || shown.get("row") === text) return;
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (text === null) after.delete("row");
          else after.set("row", text);
          return after;
        },
        { replace: true },
      );
    }, ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [text, setParams, path]);
  return [row, setRow, changed.length];
}

/** Cells of an address; what is no column of the model, or no cell, is nobody's. */
function given(text: string | null, typical: Row): Row {
  if (text === null) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Whoever shortened the address gets the typical row.
    return {};
  }
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(
    Object.entries(parsed).filter(
      ([column, cell]) =>
        column in typical &&
        (cell === null || ["string", "number", "boolean"].includes(typeof cell)),
    ),
  );
}
