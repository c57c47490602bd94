/** How long a run may take, and what good means. */

import { Field, faultWithin } from "../../../ui/field.tsx";
import { EMPTY, numberFault, TIME_UNITS, type TimeUnit } from "./draft.ts";
import type { PartProps } from "./task-fields.tsx";

/** In the service's own names; one that is not here is shown by its name alone. */
const PRESET_WORDS: Readonly<Record<string, string>> = {
  balanced: "The best blend there is time for.",
  fast: "2 trials of each family: a first look.",
  best: "60 trials of each family, and more folds.",
  interpretable: "One model that a reader can follow.",
  small: "One small model that predicts fast.",
};

const UNITS = Object.keys(TIME_UNITS) as TimeUnit[];

export function TimeFields({ draft, options, error, change }: PartProps) {
  return (
    <div className="form-row">
      <Field
        label="What you want"
        hint={PRESET_WORDS[draft.preset]}
        fault={faultWithin(error, "preset")}
      >
        {(control) => (
          <select
            {...control}
            value={draft.preset}
            onChange={({ target }) => change({ preset: target.value })}
          >
            {options.presets.map((preset) => (
              <option key={preset} value={preset}>
                {preset}
                {preset === EMPTY.preset ? " (usual)" : ""}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Time"
        hint="For everything. Empty: as long as the trials take."
        fault={numberFault(draft.time) ?? faultWithin(error, "time_budget_s")}
      >
        {(control) => (
          <div className="pair">
            <input
              {...control}
              inputMode="decimal"
              value={draft.time}
              onChange={({ target }) => change({ time: target.value })}
            />
            <select
              aria-label="Unit of the time"
              value={draft.timeUnit}
              onChange={({ target }) =>
                change({ timeUnit: UNITS.find((unit) => unit === target.value) ?? "minutes" })
              }
            >
              {UNITS.map((unit) => (
                <option key={unit}>{unit}</option>
              ))}
            </select>
          </div>
        )}
      </Field>
      <Field
        label="Trials of each family"
        hint="Empty: as many as there is time for."
        fault={numberFault(draft.trials) ?? faultWithin(error, "n_trials")}
      >
        {(control) => (
          <input
            {...control}
            inputMode="numeric"
            value={draft.trials}
            onChange={({ target }) => change({ trials: target.value })}
          />
        )}
      </Field>
    </div>
  );
}

export function MetricFields({ draft, subject, options, error, change }: PartProps) {
  const { kind } = subject;
  const [first = kind.metrics[0] ?? "", ...further] = draft.metrics;
  const direction = (name: string): string =>
    options.metrics.find(({ metric }) => metric === name)?.direction === "maximize"
      ? "higher is better"
      : "lower is better";
  return (
    <>
      <div className="form-row">
        <Field
          label="Metric to optimise"
          hint={`${direction(first)[0]?.toUpperCase()}${direction(first).slice(1)}.`}
          fault={faultWithin(error, "metrics")}
        >
          {(control) => (
            <select
              {...control}
              value={first}
              onChange={({ target }) =>
                change({
                  metrics: [target.value, ...further.filter((name) => name !== target.value)],
                })
              }
            >
              {kind.metrics.map((metric) => (
                <option key={metric} value={metric}>
                  {metric}
                  {metric === kind.metrics[0] ? " (usual)" : ""}
                </option>
              ))}
            </select>
          )}
        </Field>
        {draft.metrics.length > 1 && (
          <div className="field">
            <label className="check">
              <input
                type="checkbox"
                checked={draft.sweep}
                onChange={({ target }) => change({ sweep: target.checked })}
              />
              Make a model for each compromise (Pareto sweep)
            </label>
            {draft.sweep && (
              <Field
                label="Grid size"
                hint="Divisions between one metric and another; more find finer compromises."
                fault={numberFault(draft.gridSize) ?? faultWithin(error, "grid_size")}
              >
                {(control) => (
                  <input
                    {...control}
                    inputMode="decimal"
                    value={draft.gridSize}
                    onChange={({ target }) => change({ gridSize: target.value })}
                  />
                )}
              </Field>
            )}
          </div>
        )}
      </div>
      <fieldset className="field">
        <legend>Metrics beside it</legend>
        <p className="hint">They are reported; with two or more a run can weigh them.</p>
        <div className="boxes wide">
          {kind.metrics
            .filter((metric) => metric !== first)
            .map((metric) => (
              <label key={metric} className="check">
                <input
                  type="checkbox"
                  checked={further.includes(metric)}
                  onChange={({ target }) =>
                    change({
                      metrics: [
                        first,
                        ...(target.checked
                          ? [...further, metric]
                          : further.filter((name) => name !== metric)),
                      ],
                    })
                  }
                />
                {metric}
              </label>
            ))}
        </div>
      </fieldset>
    </>
  );
}
