/** Where the rows of a batch prediction are: a dataset, a table, a query or a file. */

import { DatasetChoice } from "../../../ui/dataset-choice.tsx";
import { Field, faultAt } from "../../../ui/field.tsx";
import type { BatchForm } from "./batch-request.ts";

const ENDINGS = ".csv,.tsv,.parquet,.arrow,.feather,.ndjson,.jsonl,.gz,.zst";

interface SourceFieldsProps {
  readonly form: BatchForm;
  readonly edit: (next: Partial<BatchForm>) => void;
  readonly error: unknown;
}

export function SourceFields({ form, edit, error }: SourceFieldsProps) {
  const own = faultAt(error, "source");
  if (form.source === "dataset") {
    return (
      <Field label="Dataset" fault={faultAt(error, "source.dataset_id") ?? own}>
        {(control) => (
          <DatasetChoice
            control={control}
            value={form.dataset}
            none="Choose a dataset"
            onChange={(dataset) => edit({ dataset })}
          />
        )}
      </Field>
    );
  }
  if (form.source === "table") {
    return (
      <Field
        label="Table"
        hint="Its name in SQL, such as sales.public.orders, or its full name."
        fault={faultAt(error, "source.table") ?? own}
      >
        {(control) => (
          <input
            {...control}
            value={form.table}
            maxLength={1024}
            autoComplete="off"
            onChange={(event) => edit({ table: event.target.value })}
          />
        )}
      </Field>
    );
  }
  if (form.source === "sql") {
    return (
      <Field
        label="Query"
        hint="One SELECT; its rows are predicted."
        fault={faultAt(error, "source.sql") ?? own}
      >
        {(control) => (
          <textarea
            {...control}
            className="code"
            rows={6}
            spellCheck={false}
            value={form.sql}
            onChange={(event) => edit({ sql: event.target.value })}
          />
        )}
      </Field>
    );
  }
  if (form.source === "upload") {
    return (
      <Field
        label="File"
        hint="CSV, Parquet, Arrow or JSON lines, with the columns that the model reads."
        fault={faultAt(error, "file")}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept={ENDINGS}
            onChange={({ target }) => edit({ file: target.files?.[0] ?? null })}
          />
        )}
      </Field>
    );
  }
  return <p className="note">Forecasts every series of the training data, from where these end.</p>;
}
