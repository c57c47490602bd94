/** Which model answers how much of the traffic, and which one is asked beside them. */

import { type FormEvent, useState } from "react";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { ModelChoice } from "../models.tsx";
import { useChange } from "./change.ts";
import type { Endpoint } from "./endpoint.ts";
import { ShareRow } from "./share-row.tsx";
import { toHundredths, toPercent, WHOLE, withoutShare, withShare } from "./split.ts";

interface Draft {
  /** Of the endpoint that it was made from. */
  readonly revision: string;
  readonly models: readonly string[];
  /** Hundredths. */
  readonly shares: readonly number[];
  readonly shadow: string;
  readonly shadowPercent: number;
}

const draftOf = (endpoint: Endpoint): Draft => ({
  revision: endpoint.revision,
  models: endpoint.models.map(({ model_id }) => model_id),
  shares: endpoint.models.map(({ traffic }) => toHundredths(traffic)),
  shadow: endpoint.shadow_model_id ?? "",
  shadowPercent: endpoint.shadow_percent,
});

export function Traffic({ endpoint }: { readonly endpoint: Endpoint }) {
  const mayWrite = useScope("serving:write");
  const [draft, setDraft] = useState<Draft | null>(null);
  // What a slider is moved from: others go back to their shares when it does.
  const [moved, setMoved] = useState<{ readonly at: number; readonly from: readonly number[] }>();
  const forget = (): void => {
    setDraft(null);
    setMoved(undefined);
    reset();
  };
  const { models, shares, shadow, shadowPercent, revision } = draft ?? draftOf(endpoint);
  const change = useChange(endpoint, revision, "Traffic changed.", forget);
  const { mutate, isPending, error, reset } = change;
  const edit = (next: Partial<Draft>): void =>
    setDraft({ ...(draft ?? draftOf(endpoint)), ...next });
  const move = (at: number, value: number): void => {
    const from = moved?.at === at ? moved.from : shares;
    setMoved({ at, from });
    edit({ shares: withShare(from, at, value) });
  };
  const add = (model: string): void => {
    if (model === "") return;
    setMoved(undefined);
    edit({ models: [...models, model], shares: [...shares, 0] });
  };
  const remove = (at: number): void => {
    setMoved(undefined);
    edit({ models: models.filter((_, each) => each !== at), shares: withoutShare(shares, at) });
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({
      models: models.map((model_id, at) => ({ model_id, traffic: toPercent(shares[at] ?? 0) })),
      shadow_model_id: shadow === "" ? null : shadow,
      shadow_percent: shadowPercent,
    });
  };
  return (
    <Card title="Traffic">
      <form onSubmit={submit}>
        <div className="split-bar" aria-hidden="true">
          {shares.map((share, at) => (
            <span
              key={models[at]}
              className={`series-${at % 8}`}
              style={{ width: `${(100 * share) / WHOLE}%` }}
            />
          ))}
        </div>
        <ul className="shares">
          {models.map((reference, at) => (
            <ShareRow
              key={reference}
              reference={reference}
              id={
                endpoint.models.find(({ model_id }) => model_id === reference)?.resolved_model_id ??
                null
              }
              place={at}
              share={shares[at] ?? 0}
              isAlone={models.length === 1}
              mayWrite={mayWrite}
              fault={faultAt(error, `models.${at}.model_id`)}
              onMove={(value) => move(at, value)}
              onRemove={() => remove(at)}
            />
          ))}
        </ul>
        {mayWrite && (
          <div className="form-row">
            <Field
              label="Add a model"
              hint="It begins with none of the traffic."
              fault={faultAt(error, "models")}
            >
              {(control) => (
                <ModelChoice control={control} value="" onChange={add} without={models} />
              )}
            </Field>
            <Field
              label="Shadow model"
              hint="It gets the requests too; its answers are compared and never returned."
              fault={faultAt(error, "shadow_model_id")}
            >
              {(control) => (
                <ModelChoice
                  control={control}
                  value={shadow}
                  none="None"
                  onChange={(reference) => edit({ shadow: reference })}
                />
              )}
            </Field>
            {shadow !== "" && (
              <Field
                label={`Shadowed requests: ${shadowPercent} %`}
                fault={faultAt(error, "shadow_percent")}
              >
                {(control) => (
                  <input
                    {...control}
                    type="range"
                    min={0}
                    max={100}
                    value={shadowPercent}
                    onChange={(event) => edit({ shadowPercent: event.target.valueAsNumber })}
                  />
                )}
              </Field>
            )}
          </div>
        )}
        {draft !== null && draft.revision !== endpoint.revision && (
          <div className="warnings">
            <p>Somebody has changed this endpoint meanwhile. Discard your changes to see it.</p>
          </div>
        )}
        {error && <ProblemNote error={error} />}
        {mayWrite && (
          <div className="actions">
            <Button look="main" type="submit" busy={isPending} disabled={draft === null}>
              Save traffic
            </Button>
            <Button disabled={draft === null || isPending} onClick={forget}>
              Discard changes
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}
