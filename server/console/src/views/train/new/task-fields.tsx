/** What is predicted, of what: the members of a request's `task`. */

import { Field, faultWithin } from "../../../ui/field.tsx";
import { ColumnField, ColumnsField } from "./columns.tsx";
import { boundFault, type Draft, numberFault, numbersFault, type Subject } from "./draft.ts";
import type { Options } from "./guess.ts";

/** What each part of the form is given. */
export interface PartProps {
  readonly draft: Draft;
  readonly subject: Subject;
  readonly options: Options;
  /** Of the last try. */
  readonly error: unknown;
  readonly change: (changes: Partial<Draft>) => void;
}

/** What the kinds for several rows at a time need to know. */
export function OwnFields({ draft, subject, error, change }: PartProps) {
  const { kind, columns, label } = subject;
  const others = columns.filter(({ name }) => name !== label);
  const has = (field: string): boolean => kind.fields.includes(field);
  const fault = (member: string) => faultWithin(error, `task.${member}`);
  const number = (
    field: "horizon" | "gap" | "windowStep",
    member: string,
    text: string,
    hint: string,
  ) =>
    has(member) && (
      <Field label={text} hint={hint} fault={numberFault(draft[field]) ?? fault(member)}>
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            value={draft[field]}
            onChange={({ target }) => change({ [field]: target.value })}
          />
        )}
      </Field>
    );
  const bound = (field: "lowerBound" | "upperBound", member: string, text: string, hint: string) =>
    has(member) && (
      <Field
        label={text}
        hint={`${hint} none: values can be any.`}
        fault={boundFault(draft[field]) ?? fault(member)}
      >
        {(control) => (
          <input
            {...control}
            value={draft[field]}
            onChange={({ target }) => change({ [field]: target.value })}
          />
        )}
      </Field>
    );
  return (
    <>
      <div className="form-row">
        {kind.required.includes("time_column") && (
          <ColumnField
            label="Time column"
            hint="Orders the steps; times or numbers."
            fault={fault("time_column")}
            columns={others}
            value={subject.timeColumn}
            onChange={(timeColumn) => change({ timeColumn })}
          />
        )}
        {number("horizon", "horizon", "Steps to forecast", "How far ahead: 24 for a day of hours.")}
        {has("sequence_column") && (
          <ColumnField
            label="Sequence column"
            hint="Rows with the same value here are one sequence, with one label."
            fault={fault("sequence_column")}
            columns={others}
            value={subject.sequenceColumn}
            onChange={(sequenceColumn) => change({ sequenceColumn })}
          />
        )}
        {has("order_column") && (
          <ColumnField
            label="Order of steps"
            fault={fault("order_column")}
            columns={others}
            none="As the rows stand"
            value={subject.orderColumn}
            onChange={(orderColumn) => change({ orderColumn })}
          />
        )}
        {has("quantiles") && (
          <Field
            label="Quantiles"
            hint="Levels between 0 and 1, ascending. Empty: 0.1, 0.5, 0.9."
            fault={numbersFault(draft.quantiles) ?? fault("quantiles")}
          >
            {(control) => (
              <input
                {...control}
                value={draft.quantiles}
                placeholder="0.1, 0.5, 0.9"
                onChange={({ target }) => change({ quantiles: target.value })}
              />
            )}
          </Field>
        )}
        {has("positive_class") && (
          <Field
            label="Positive class"
            hint="The one that is looked for: f1 and average_precision score it. Empty: the second by number or name."
            fault={fault("positive_class")}
          >
            {(control) => (
              <input
                {...control}
                value={draft.positiveClass}
                onChange={({ target }) => change({ positiveClass: target.value })}
              />
            )}
          </Field>
        )}
        {has("season_length") && (
          <Field
            label="Steps in a season"
            hint="Several by commas, such as 24, 168. Empty: found in the data."
            fault={numbersFault(draft.seasonLength) ?? fault("season_length")}
          >
            {(control) => (
              <input
                {...control}
                value={draft.seasonLength}
                onChange={({ target }) => change({ seasonLength: target.value })}
              />
            )}
          </Field>
        )}
        {number("gap", "gap", "Gap", "Steps between the last known value and the first forecast.")}
        {number(
          "windowStep",
          "window_step",
          "Backtest step",
          "Steps from one window to the next. Empty: the horizon.",
        )}
        {bound("lowerBound", "lower_bound", "Lowest value", "Such as 0. Empty: found in the data.")}
        {bound(
          "upperBound",
          "upper_bound",
          "Highest value",
          "Such as 100. Empty: found in the data.",
        )}
      </div>
      {has("series_columns") && (
        <div className="form-row">
          <ColumnsField
            label="Columns that tell series apart"
            hint="None: all rows are one series."
            fault={fault("series_columns")}
            columns={others}
            chosen={subject.seriesColumns}
            onChange={(seriesColumns) => change({ seriesColumns })}
          />
          <ColumnsField
            label="Columns known in advance"
            hint="Such as holidays or set prices."
            fault={fault("known_columns")}
            columns={others}
            chosen={draft.knownColumns}
            onChange={(knownColumns) => change({ knownColumns })}
          />
        </div>
      )}
    </>
  );
}

/** Columns with a part of their own, of any kind of task. */
export function RoleFields({ draft, subject, error, change }: PartProps) {
  const others = subject.columns.filter(({ name }) => name !== subject.label);
  const fault = (member: string) => faultWithin(error, `task.${member}`);
  return (
    <>
      <div className="form-row">
        <ColumnField
          label="Weights of rows"
          fault={fault("weight_column")}
          columns={others.filter(({ kind }) => kind === "numeric")}
          none="All equal"
          value={draft.weightColumn}
          onChange={(weightColumn) => change({ weightColumn })}
        />
        <ColumnField
          label="Groups that stay together"
          hint="Rows of one group are never on both sides of a split."
          fault={fault("group_column")}
          columns={others}
          none="No groups"
          value={draft.groupColumn}
          onChange={(groupColumn) => change({ groupColumn })}
        />
        {!subject.kind.required.includes("time_column") && (
          <ColumnField
            label="Time that splits follow"
            hint="Models are tried on rows later than those they learn from."
            fault={fault("time_column")}
            columns={others}
            none="Rows have no order"
            value={draft.timeColumn ?? ""}
            onChange={(timeColumn) => change({ timeColumn })}
          />
        )}
      </div>
      <ColumnsField
        label="Columns to leave out"
        hint="Such as ids, and whatever is only known after the label."
        fault={fault("ignore_columns")}
        columns={others}
        chosen={draft.ignored}
        onChange={(ignored) => change({ ignored })}
      />
    </>
  );
}
