/** What an endpoint logs of its predictions, for how long, and the files of it. */

import { type FormEvent, useState } from "react";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { Listing } from "../../../ui/listing.tsx";
import { count, size } from "../../../ui/numbers.ts";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Time } from "../../../ui/time.tsx";
import { useChange } from "./change.ts";
import type { Endpoint } from "./endpoint.ts";

const REFRESH_MS = 15_000;
const DEFAULT_DAYS = 30;

export function LogTab({ endpoint }: { readonly endpoint: Endpoint }) {
  const mayRead = useScope("datasets:read");
  return (
    <>
      <Settings key={endpoint.revision} endpoint={endpoint} />
      {mayRead && <Files endpoint={endpoint} />}
    </>
  );
}

function Settings({ endpoint }: { readonly endpoint: Endpoint }) {
  const { prediction_log: log, revision } = endpoint;
  const mayWrite = useScope("serving:write");
  const [isOn, setOn] = useState(log !== null);
  const [percent, setPercent] = useState(String((log?.sample_rate ?? 1) * 100));
  const [days, setDays] = useState(String(log?.keep_days ?? DEFAULT_DAYS));
  const { mutate, isPending, error } = useChange(endpoint, revision, "Prediction log changed.");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate({
      prediction_log: isOn ? { sample_rate: Number(percent) / 100, keep_days: Number(days) } : null,
    });
  };
  return (
    <Card title="What is logged">
      <form onSubmit={submit}>
        <label className="check">
          <input
            type="checkbox"
            checked={isOn}
            disabled={!mayWrite}
            onChange={(event) => setOn(event.target.checked)}
          />
          Log predictions with their inputs, so that feedback on them can be scored
        </label>
        {isOn && (
          <div className="form-row">
            <Field
              label="Percent of the requests"
              hint="Sampled alike for all models."
              fault={faultAt(error, "prediction_log.sample_rate")}
            >
              {(control) => (
                <input
                  {...control}
                  type="number"
                  min={0}
                  max={100}
                  step="any"
                  required
                  disabled={!mayWrite}
                  value={percent}
                  onChange={(event) => setPercent(event.target.value)}
                />
              )}
            </Field>
            <Field
              label="Days that it is kept"
              hint="Then it is deleted, with the feedback on it."
              fault={faultAt(error, "prediction_log.keep_days")}
            >
              {(control) => (
                <input
                  {...control}
                  type="number"
                  min={1}
                  max={3650}
                  required
                  disabled={!mayWrite}
                  value={days}
                  onChange={(event) => setDays(event.target.value)}
                />
              )}
            </Field>
          </div>
        )}
        {error && <ProblemNote error={error} />}
        {mayWrite && (
          <div className="actions">
            <Button look="main" type="submit" busy={isPending}>
              Save
            </Button>
          </div>
        )}
      </form>
    </Card>
  );
}

function Files({ endpoint: { id, prediction_log: log } }: { readonly endpoint: Endpoint }) {
  return (
    <Card title="Files">
      <Listing
        queryKey={["endpoint", id, "log-files"]}
        caption="Files of the prediction log"
        refreshMs={REFRESH_MS}
        page={async (page_token, signal) => {
          const { files: items, next_page_token: next } = await client.serving.predictionLog.query(
            { endpoint_id: id, limit: 50, page_token },
            { signal },
          );
          return { items, next };
        }}
        keyOf={({ id: file }) => file}
        columns={[
          { head: "First prediction", cell: ({ first_at }) => <Time at={first_at} /> },
          { head: "Last", cell: ({ last_at }) => <Time at={last_at} /> },
          { head: "Predictions", cell: ({ rows }) => count(rows), isNumber: true },
          { head: "Size", cell: ({ bytes }) => size(bytes), isNumber: true },
          { head: "Deleted", cell: ({ expires_at }) => <Time at={expires_at} /> },
          {
            head: "File",
            cell: ({ url, first_at }) => (
              <a href={url} download aria-label={`Download the file of ${first_at}`}>
                Download
              </a>
            ),
          },
        ]}
        empty={
          <p>
            {log === null
              ? "None: predictions are not logged."
              : "No file yet: one is written when a minute is over."}
          </p>
        }
      />
    </Card>
  );
}
