/** The model taken elsewhere: everything as one archive, as ONNX, as LightGBM's text; its card; its files. */

import { useState } from "react";
import { client } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { DataTable } from "../../ui/listing.tsx";
import { size } from "../../ui/numbers.ts";
import { Card } from "../../ui/page.tsx";
import { ProblemNote } from "../../ui/problem.tsx";
import { saveFile } from "../../ui/save-file.ts";
import type { TrainedModel } from "./queries.ts";

interface Form {
  readonly path: string;
  readonly title: string;
  readonly says: string;
  /** Of the file that is kept. */
  readonly ending: string;
}

const FORMS: readonly Form[] = [
  {
    path: "archive",
    title: "Archive",
    says: "All that belongs to it, with a predictor that runs in Node and in browsers without this service.",
    ending: "zip",
  },
  {
    path: "onnx",
    title: "ONNX",
    says: "One graph that answers as this service does, for any ONNX runtime.",
    ending: "onnx",
  },
  {
    path: "lightgbm",
    title: "LightGBM text",
    says: "For lightgbm.Booster, where it is one boosted member.",
    ending: "txt",
  },
  {
    path: "card?format=html",
    title: "Model card",
    says: "One page for people: what it is, how good it was found to be, its limits.",
    ending: "html",
  },
  {
    path: "card?format=json",
    title: "Model card as JSON",
    says: "The same facts for programs.",
    ending: "json",
  },
];

export function Files({ model }: { readonly model: TrainedModel }) {
  return (
    <>
      <Card title="Take it elsewhere">
        <ul className="downloads">
          {FORMS.map((form) => (
            <Download key={form.path} model={model} form={form} />
          ))}
        </ul>
      </Card>
      <Card title="Files of the model">
        <DataTable
          caption="Files"
          items={model.files}
          keyOf={({ path }) => path}
          columns={[
            { head: "File", cell: ({ path }) => path },
            { head: "Size", cell: ({ bytes }) => size(bytes), isNumber: true },
            {
              head: "SHA-256",
              cell: ({ sha256 }) => <code title={sha256}>{sha256.slice(0, 16)}…</code>,
            },
          ]}
        />
      </Card>
    </>
  );
}

function Download({ model, form }: { readonly model: TrainedModel; readonly form: Form }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const download = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const response = await client.request(`/v1/models/${model.id}/${form.path}`);
      saveFile(await response.blob(), `${model.id}.${form.ending}`);
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  return (
    <li>
      <div className="head">
        <div>
          <h3>{form.title}</h3>
          <p className="note">{form.says}</p>
        </div>
        <Button busy={busy} onClick={() => void download()} aria-label={`Download ${form.title}`}>
          Download
        </Button>
      </div>
      {error !== null && <ProblemNote error={error} />}
    </li>
  );
}
