/** How a run goes about it: families, validation, strategy, teacher, rows, names. */

import { useQuery } from "@tanstack/react-query";
import { client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Field, faultWithin } from "../../../ui/field.tsx";
import { ColumnControl } from "./columns.tsx";
import { type Condition, OPERATORS, type Operator, takesValue } from "./conditions.ts";
import { numberFault } from "./draft.ts";
import type { PartProps } from "./task-fields.tsx";

export function FamilyFields({ draft, subject, options, error, change }: PartProps) {
  const fitting = options.families.filter(({ family }) => subject.kind.families.includes(family));
  return (
    <fieldset className="field">
      <legend>Model families</legend>
      <p className="hint">None chosen: a set that follows the shape of the data.</p>
      <div className="boxes wide">
        {fitting.map(({ family, title, predicts_fast: isFast }) => (
          <label key={family} className="check">
            <input
              type="checkbox"
              checked={draft.families.includes(family)}
              onChange={({ target }) =>
                change({
                  families: target.checked
                    ? [...draft.families, family]
                    : draft.families.filter((each) => each !== family),
                })
              }
            />
            <span>
              {title} <code>{family}</code>
              {isFast && <span className="hint"> predicts fast</span>}
            </span>
          </label>
        ))}
      </div>
      {faultWithin(error, "model_families") && (
        <p className="fault">{faultWithin(error, "model_families")}</p>
      )}
    </fieldset>
  );
}

export function StrategyFields({ draft, subject, error, change }: PartProps) {
  const isRolling = subject.kind.row === "series";
  return (
    <div className="form-row">
      <Field label="Validation" hint={isRolling ? "Folds are windows of the backtest." : undefined}>
        {(control) => (
          <select
            {...control}
            value={draft.validation}
            onChange={({ target: { value } }) =>
              change({ validation: value === "folds" || value === "holdout" ? value : "default" })
            }
          >
            <option value="default">
              Usual: {subject.kind.n_cv_splits} folds, more of few rows
            </option>
            <option value="folds">Folds</option>
            <option value="holdout">One holdout split</option>
          </select>
        )}
      </Field>
      {draft.validation === "folds" && (
        <Field
          label="Number of folds"
          fault={numberFault(draft.folds) ?? faultWithin(error, "n_cv_splits")}
        >
          {(control) => (
            <input
              {...control}
              inputMode="numeric"
              value={draft.folds}
              onChange={({ target }) => change({ folds: target.value })}
            />
          )}
        </Field>
      )}
      <Field label="Search" fault={faultWithin(error, "search_strategy")}>
        {(control) => (
          <select
            {...control}
            value={draft.strategy}
            onChange={({ target: { value } }) =>
              change({ strategy: value === "tpe" || value === "random" ? value : "" })
            }
          >
            <option value="">Usual: learns from its trials</option>
            <option value="tpe">tpe: learns from its trials</option>
            <option value="random">random</option>
          </select>
        )}
      </Field>
      <Field
        label="Ensemble"
        hint="A blend of several trials is mostly better, and slower to predict."
        fault={faultWithin(error, "ensemble")}
      >
        {(control) => (
          <select
            {...control}
            value={draft.ensemble}
            onChange={({ target: { value } }) =>
              change({ ensemble: value === "yes" || value === "no" ? value : "" })
            }
          >
            <option value="">Usual: as the preset says</option>
            <option value="yes">Blend the best trials</option>
            <option value="no">One model</option>
          </select>
        )}
      </Field>
      <Field
        label="Random state"
        hint="The same data, settings and number give the same model."
        fault={numberFault(draft.seed) ?? faultWithin(error, "random_state")}
      >
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            placeholder="0"
            value={draft.seed}
            onChange={({ target }) => change({ seed: target.value })}
          />
        )}
      </Field>
      {subject.kind.target === "class" && (
        <div className="field">
          <label className="check">
            <input
              type="checkbox"
              checked={draft.balanced}
              onChange={({ target }) => change({ balanced: target.checked })}
            />
            Weigh rare classes up
          </label>
          {faultWithin(error, "class_weight") && (
            <p className="fault">{faultWithin(error, "class_weight")}</p>
          )}
        </div>
      )}
    </div>
  );
}

export function TeacherFields({ draft, subject, error, change }: PartProps) {
  const { data } = useQuery({
    queryKey: ["models", "teachers"],
    queryFn: ({ signal }) => client.models.list.query({ limit: 100 }, { signal }),
    enabled: draft.teacher === "model",
  });
  if (!subject.kind.teachable) {
    return <p className="note">This kind of task cannot be learned from a teacher.</p>;
  }
  return (
    <>
      <Field
        label="Teacher"
        hint="A student learns from a teacher's predictions: small and fast, and nearly as good."
      >
        {(control) => (
          <select
            {...control}
            value={draft.teacher}
            onChange={({ target: { value } }) =>
              change({ teacher: value === "model" || value === "url" ? value : "none" })
            }
          >
            <option value="none">No teacher: learn from the labels</option>
            <option value="model">A model of this service</option>
            <option value="url">A service elsewhere</option>
          </select>
        )}
      </Field>
      {draft.teacher === "model" && (
        <Field
          label="Teacher's model"
          hint="Its id, or name@alias. It must have been trained for the same task."
          fault={faultWithin(error, "teacher_model_id")}
        >
          {(control) => (
            <>
              <input
                {...control}
                list={`${control.id}-models`}
                value={draft.teacherModel}
                onChange={({ target }) => change({ teacherModel: target.value })}
              />
              <datalist id={`${control.id}-models`}>
                {data?.models.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </datalist>
            </>
          )}
        </Field>
      )}
      {draft.teacher === "url" && (
        <div className="form-row">
          <Field
            label="Teacher's address"
            hint="Rows are sent to it by POST as samples and feature_names."
            fault={faultWithin(error, "teacher_predict_url")}
          >
            {(control) => (
              <input
                {...control}
                type="url"
                autoComplete="off"
                placeholder="https://teacher.example.com/predict"
                value={draft.teacherUrl}
                onChange={({ target }) => change({ teacherUrl: target.value })}
              />
            )}
          </Field>
          <Field
            label="Headers"
            hint="One a line, name: value. They are kept encrypted until the run ends."
            fault={faultWithin(error, "teacher_headers")}
          >
            {(control) => (
              <textarea
                {...control}
                rows={2}
                autoComplete="off"
                value={draft.teacherHeaders}
                onChange={({ target }) => change({ teacherHeaders: target.value })}
              />
            )}
          </Field>
        </div>
      )}
    </>
  );
}

export function RowFields({ draft, subject, error, change }: PartProps) {
  const { conditions } = draft;
  const put = (id: number, changes: Partial<Condition>): void =>
    change({
      conditions: conditions.map((each) => (each.id === id ? { ...each, ...changes } : each)),
    });
  const add = (): void =>
    change({
      conditions: [
        ...conditions,
        {
          id: 1 + Math.max(0, ...conditions.map(({ id }) => id)),
          column: subject.columns[0]?.name ?? "",
          op: "eq",
          value: "",
        },
      ],
    });
  const place = (index: number): string =>
    conditions.length === 1 ? "filter" : `filter.exprs.${index}`;
  return (
    <fieldset className="field">
      <legend>Rows to use</legend>
      {conditions.length === 0 && <p className="hint">All rows.</p>}
      {conditions.length > 1 && (
        <label className="check">
          Rows for which
          <select
            aria-label="How conditions are joined"
            value={draft.join}
            onChange={({ target }) => change({ join: target.value === "or" ? "or" : "and" })}
          >
            <option value="and">all of these hold</option>
            <option value="or">one of these holds</option>
          </select>
        </label>
      )}
      {conditions.map(({ id, column, op, value }, index) => (
        <div key={id}>
          <div className="condition">
            <ColumnControl
              control={{ id: `condition-${id}`, "aria-label": `Column of condition ${index + 1}` }}
              columns={subject.columns}
              value={column}
              onChange={(chosen) => put(id, { column: chosen })}
            />
            <select
              aria-label={`Comparison of condition ${index + 1}`}
              value={op}
              onChange={({ target }) =>
                put(id, {
                  op:
                    (Object.keys(OPERATORS) as Operator[]).find((each) => each === target.value) ??
                    "eq",
                })
              }
            >
              {Object.entries(OPERATORS).map(([operator, words]) => (
                <option key={operator} value={operator}>
                  {words}
                </option>
              ))}
            </select>
            {takesValue(op) && (
              <input
                aria-label={`Value of condition ${index + 1}`}
                placeholder={op === "in" || op === "not_in" ? "a, b, c" : "value"}
                value={value}
                onChange={({ target }) => put(id, { value: target.value })}
              />
            )}
            <Button
              look="quiet"
              aria-label={`Remove condition ${index + 1}`}
              onClick={() => change({ conditions: conditions.filter((each) => each.id !== id) })}
            >
              Remove
            </Button>
          </div>
          {faultWithin(error, place(index)) && (
            <p className="fault">{faultWithin(error, place(index))}</p>
          )}
        </div>
      ))}
      <p>
        <Button onClick={add}>Add a condition</Button>
      </p>
    </fieldset>
  );
}

export function NameFields({ draft, error, change }: PartProps) {
  const text = (field: "name" | "registerAs", label: string, hint: string, member: string) => (
    <Field label={label} hint={hint} fault={faultWithin(error, member)}>
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
    <div className="form-row">
      {text("name", "Name of the run", "Empty: the dataset's name.", "name")}
      {text(
        "registerAs",
        "Register the model as",
        "The model becomes the next version of this name.",
        "register_as",
      )}
      <Field label="Tags" hint="One a line, key: value." fault={faultWithin(error, "job_tags")}>
        {(control) => (
          <textarea
            {...control}
            rows={2}
            placeholder="team: growth"
            value={draft.tags}
            onChange={({ target }) => change({ tags: target.value })}
          />
        )}
      </Field>
    </div>
  );
}
