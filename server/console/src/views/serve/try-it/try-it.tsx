/** A request to an endpoint, typed into a form that follows the model's columns, and its answer. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ask, client } from "../../../api/client.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { figure } from "../../../ui/numbers.ts";
import { Card } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Snippet } from "../../../ui/snippet.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { ModelLink } from "../models.tsx";
import { Answer } from "./answer.tsx";
import { askEndpoint, predictPath } from "./ask.ts";
import { Feedback } from "./feedback.tsx";
import {
  firstBody,
  type Known,
  knownOf,
  modelColumns,
  rowOf,
  type Typed,
  typicalRow,
} from "./form-row.ts";
import { RowFields } from "./row-fields.tsx";

export function TryIt({ endpoint }: { readonly endpoint: Endpoint }) {
  const id = [...endpoint.models]
    .sort((a, b) => b.traffic - a.traffic)
    .find(({ resolved_model_id }) => resolved_model_id !== null)?.resolved_model_id;
  const { data: model, error } = useQuery({
    queryKey: ["model", id],
    queryFn: ({ signal }) => client.models.get.query({ model_id: id ?? "" }, { signal }),
    enabled: typeof id === "string",
  });
  const dataset = model?.type === "trained" ? model.dataset_id : undefined;
  const { data: known, isPending } = useQuery({
    queryKey: ["known-values", dataset],
    queryFn: ({ signal }) => knownValues(dataset ?? "", signal),
    enabled: dataset !== undefined,
  });
  if (!id) return <p>None of the endpoint's models can answer now.</p>;
  if (error) return <ProblemNote error={error} />;
  if (model === undefined || (dataset !== undefined && isPending)) return <Loading />;
  if (model.type !== "trained") return <p>This model is asked with documents.</p>;
  return (
    <TryForm
      endpoint={endpoint}
      task={model.task}
      classes={model.classes}
      columns={modelColumns(model.columns)}
      known={known ?? new Map()}
    />
  );
}

/** Where the data are gone, or not to be seen, nothing is known of them. */
async function knownValues(
  dataset: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Known>> {
  try {
    const { profile } = await ask<{ profile: readonly Readonly<Record<string, unknown>>[] }>(
      `/v1/datasets/${dataset}`,
      { signal },
    );
    return knownOf(profile);
  } catch {
    return new Map();
  }
}

interface TryFormProps {
  readonly endpoint: Endpoint;
  readonly task: Readonly<Record<string, unknown>>;
  readonly classes: readonly string[];
  readonly columns: ReturnType<typeof modelColumns>;
  readonly known: ReadonlyMap<string, Known>;
}

/** Rows of these tasks are not predicted one by one. */
const isFramed = (kind: unknown): boolean =>
  typeof kind === "string" && (kind === "forecasting" || kind.startsWith("sequence_"));

function TryForm({ endpoint, task, classes, columns, known }: TryFormProps) {
  const onlyJson = isFramed(task["task_kind"]);
  const [typed, setTyped] = useState<Typed>(() => typicalRow(columns, known));
  const [json, setJson] = useState<string | null>(() =>
    onlyJson ? JSON.stringify(firstBody(task, columns, known), null, 2) : null,
  );
  const [key, setKey] = useState("");
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (body: unknown) => askEndpoint(endpoint.name, key, body),
  });
  const written = json === null ? { body: { instances: [rowOf(columns, typed)] } } : parsed(json);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if ("body" in written) mutate(written.body);
  };
  return (
    <>
      <div className="columns">
        <Card
          title="Request"
          actions={
            !onlyJson && (
              <Button
                look="quiet"
                onClick={() =>
                  setJson(
                    json === null
                      ? JSON.stringify("body" in written ? written.body : {}, null, 2)
                      : null,
                  )
                }
              >
                {json === null ? "As JSON" : "As a form"}
              </Button>
            )
          }
        >
          <form onSubmit={submit}>
            {json === null ? (
              <RowFields
                columns={columns}
                known={known}
                typed={typed}
                onType={(name, text) => setTyped({ ...typed, [name]: text })}
                error={error}
              />
            ) : (
              <Field label="Body" fault={"fault" in written ? written.fault : undefined}>
                {(control) => (
                  <textarea
                    {...control}
                    className="code"
                    rows={14}
                    spellCheck={false}
                    value={json}
                    onChange={(event) => setJson(event.target.value)}
                  />
                )}
              </Field>
            )}
            <Field
              label="Key, if any"
              hint="Requests with the same key, such as a user's id, are answered by the same model."
            >
              {(control) => (
                <input
                  {...control}
                  value={key}
                  maxLength={1024}
                  autoComplete="off"
                  onChange={(event) => setKey(event.target.value)}
                />
              )}
            </Field>
            <div className="actions">
              <Button look="main" type="submit" busy={isPending} disabled={!("body" in written)}>
                Predict
              </Button>
            </div>
          </form>
        </Card>
        <Card title="Answer">
          <div aria-live="polite">
            {error && <ProblemNote error={error} />}
            {data === undefined ? (
              !error && <p className="note">Send a row to see what the endpoint answers.</p>
            ) : (
              <>
                <Answer predictions={data.predictions} />
                <p className="note">
                  By <ModelLink reference={data.model_id} id={data.model_id} /> in{" "}
                  {figure(Number(data.ms.toPrecision(2)))} ms, as seen from here.
                </p>
                <Warnings of={data.warnings} />
              </>
            )}
          </div>
          {data?.predictionId && (
            <Feedback
              key={data.predictionId}
              endpointId={endpoint.id}
              predictionId={data.predictionId}
              classes={classes}
            />
          )}
        </Card>
      </div>
      <Card title="The same from a program">
        <Snippet
          label="This request"
          call={{
            method: "POST",
            path: predictPath(endpoint.name, key),
            body: "body" in written ? written.body : {},
          }}
        />
      </Card>
    </>
  );
}

function parsed(text: string): { readonly body: unknown } | { readonly fault: string } {
  try {
    return { body: JSON.parse(text) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
