/** Asking for a batch prediction: the model, the rows, and what becomes of the output. */

import type { UploadProgress } from "@distillery/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { Button } from "../../../ui/button.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import { size } from "../../../ui/numbers.ts";
import { Card, Page } from "../../../ui/page.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Snippet } from "../../../ui/snippet.tsx";
import { ModelChoice } from "../models.tsx";
import {
  type BatchForm,
  bodyOf,
  FORMATS,
  fileCall,
  SOURCES,
  type SourceKind,
} from "./batch-request.ts";
import { SourceFields } from "./source-fields.tsx";
import { startBatch } from "./start-batch.ts";

const PATH = [
  { to: "/serve", label: "Serve" },
  { to: "/serve/batch", label: "Batch predictions" },
];

const SOURCE_WORDS: Readonly<Record<SourceKind, string>> = {
  dataset: "A dataset",
  table: "A table of the catalog",
  sql: "A query",
  upload: "A file",
  series: "Every series of a forecasting model",
};

export function NewBatch() {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [sent, setSent] = useState<UploadProgress | null>(null);
  const [form, setForm] = useState<BatchForm>(() => ({
    model: query.get("model") ?? "",
    source: "dataset",
    dataset: query.get("dataset") ?? "",
    table: query.get("table") ?? "",
    sql: "",
    file: null,
    format: "parquet",
    prefix: "",
    register: "",
    intervals: false,
    contributions: false,
    skipsFaulty: false,
    name: "",
  }));
  const edit = (next: Partial<BatchForm>): void => setForm({ ...form, ...next });
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => startBatch(form, setSent),
    onSuccess: async ({ job_id }) => {
      await queries.invalidateQueries({ queryKey: ["batch-predictions"] });
      navigate(`/serve/batch/${job_id}`);
    },
    onSettled: () => setSent(null),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  // A file's options are in the query; there a fault stands at the member's own name.
  const fault = (member: string): string | undefined =>
    faultAt(error, `output.${member}`) ?? faultAt(error, member);
  return (
    <Page title="New batch prediction" path={PATH}>
      <Card>
        <form onSubmit={submit}>
          <div className="form-row">
            <Field label="Model" fault={faultAt(error, "model_id")}>
              {(control) => (
                <ModelChoice
                  control={control}
                  value={form.model}
                  onChange={(model) => edit({ model })}
                />
              )}
            </Field>
            <Field label="Name, if any" fault={faultAt(error, "name")}>
              {(control) => (
                <input
                  {...control}
                  value={form.name}
                  maxLength={200}
                  autoComplete="off"
                  onChange={(event) => edit({ name: event.target.value })}
                />
              )}
            </Field>
          </div>
          <fieldset className="choices">
            <legend>Rows</legend>
            {SOURCES.map((kind) => (
              <label key={kind} className="check">
                <input
                  type="radio"
                  name="source"
                  checked={form.source === kind}
                  onChange={() => edit({ source: kind })}
                />
                {SOURCE_WORDS[kind]}
              </label>
            ))}
          </fieldset>
          <SourceFields form={form} edit={edit} error={error} />
          <div className="form-row">
            <Field label="Format of the output" fault={fault("format")}>
              {(control) => (
                <select
                  {...control}
                  value={form.format}
                  onChange={({ target }) =>
                    edit({ format: FORMATS.find((each) => each === target.value) ?? "parquet" })
                  }
                >
                  {FORMATS.map((each) => (
                    <option key={each}>{each}</option>
                  ))}
                </select>
              )}
            </Field>
            <Field
              label="Register as dataset, if wanted"
              hint="The name of the dataset to come."
              fault={fault("register_dataset")}
            >
              {(control) => (
                <input
                  {...control}
                  value={form.register}
                  maxLength={200}
                  autoComplete="off"
                  onChange={(event) => edit({ register: event.target.value })}
                />
              )}
            </Field>
            <Field
              label="Prefix of prediction columns"
              hint="Where a column of the rows has the same name."
              fault={fault("prefix")}
            >
              {(control) => (
                <input
                  {...control}
                  value={form.prefix}
                  maxLength={50}
                  autoComplete="off"
                  onChange={(event) => edit({ prefix: event.target.value })}
                />
              )}
            </Field>
          </div>
          <fieldset className="choices">
            <legend>Further columns</legend>
            <Check
              words="Intervals, or sets of classes"
              on={form.intervals}
              onChange={(intervals) => edit({ intervals })}
            />
            <Check
              words="What each column contributes"
              on={form.contributions}
              onChange={(contributions) => edit({ contributions })}
            />
            <Check
              words="Go on past rows that cannot be read, and say why"
              on={form.skipsFaulty}
              onChange={(skipsFaulty) => edit({ skipsFaulty })}
            />
          </fieldset>
          {error && <ProblemNote error={error} />}
          <div className="actions">
            <Button look="main" type="submit" busy={isPending} disabled={!isWhole(form)}>
              Start
            </Button>
            {sent && (
              <span className="row" role="status">
                <progress
                  aria-label="Sending the file"
                  {...(sent.totalBytes === null
                    ? {}
                    : { value: sent.sentBytes, max: sent.totalBytes })}
                />
                {size(sent.sentBytes)} sent
              </span>
            )}
          </div>
        </form>
      </Card>
      {isWhole(form) && (
        <Card title="The same from a program">
          <Snippet
            label="This batch prediction"
            call={
              form.source === "upload"
                ? { method: "POST", path: fileCall(form) }
                : { method: "POST", path: "/v1/batch_predictions", body: bodyOf(form) }
            }
          />
          {form.source === "upload" && (
            <p className="note">The file is the body, with its media type as Content-Type.</p>
          )}
        </Card>
      )}
    </Page>
  );
}

function isWhole({ model, source, dataset, table, sql, file }: BatchForm): boolean {
  if (model === "") return false;
  if (source === "dataset") return dataset !== "";
  if (source === "table") return table.trim() !== "";
  if (source === "sql") return sql.trim() !== "";
  return source === "series" || file !== null;
}

function Check({
  words,
  on,
  onChange,
}: {
  readonly words: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={on} onChange={(event) => onChange(event.target.checked)} />
      {words}
    </label>
  );
}
