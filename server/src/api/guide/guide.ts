/** What the document says beside its schemas: how to begin, the order of the areas, terms, examples. */

import type { DocumentGuide } from "../http/document/document-guide.ts";
import ANSWERS from "./answers.json" with { type: "json" };
import { EXAMPLES } from "./examples.ts";
import { TERMS } from "./terms.ts";

const WALK_THROUGH = `Train models on tables, time series and sequences, predict and explain with them.

## From a table to a prediction

1. **Register the data**: \`POST /v1/datasets?name=customers\` with a CSV, Parquet, Arrow or ndjson body, or as JSON \`{"name", "sql"}\` with rows of connected sources. The answer has \`dataset_id\` and what was understood of each column.
2. **Train**: \`POST /v1/trainer/run\` with \`{"dataset_id": "…", "task": {"task_kind": "binclass", "label_column": "churned"}, "time_budget_s": 60}\`. The answer, \`{"job_id", "dataset_id"}\`, comes at once.
3. **Follow**: \`GET /v1/training_jobs/{job_id}\` until \`status\` is \`completed\`; trials and scores are at \`GET /v1/jobs/{job_id}/metrics\`, as they happen at \`/events\`. \`result_uri\` opens the report.
4. **Predict**: \`POST /v1/models/{model_id}/predict\` with the job's \`model_id\` and \`{"instances": [{"age": 41, "plan": "basic"}]}\`, up to 10,000 rows per request. \`/explain\` takes the same.
5. **Take the model along**: \`GET /v1/models/{model_id}/download\` gives a URL for each of its files.

\`\`\`sh
export H="authorization: Bearer $DISTILLERY_API_KEY" U=http://127.0.0.1:8080
curl -s -H "$H" -H 'content-type: text/csv' --data-binary @customers.csv "$U/v1/datasets?name=customers"
curl -s -H "$H" --json '{"dataset_id":"…","task":{"task_kind":"binclass","label_column":"churned"},"time_budget_s":60}' $U/v1/trainer/run
curl -s -H "$H" --json '{"instances":[{"age":41,"plan":"basic"}]}' $U/v1/models/…/predict
\`\`\`

## Series and sequences

- **Forecasts**: train with \`"task": {"task_kind": "forecasting", "label_column": "sold", "time_column": "day", "series_columns": ["shop"], "horizon": 14}\`. \`/predict\` with \`{}\` answers the next 14 steps of every series; \`{"history": [{"shop": "north", "day": "2031-05-01", "sold": 12}], "future": [{"shop": "north", "day": "2031-05-02"}], "horizon": 7, "series": [{"shop": "north"}]}\` sends later values, names steps with what is known about them, and asks for fewer steps and for some of the series; each member may be left out. With \`"series_columns": ["country", "shop"], "hierarchy": {"levels": [[], ["country"]]}\` the total and the countries are forecast too, and all forecasts sum up.
- **Sequences**: train with \`"task": {"task_kind": "sequence_binclass", "label_column": "fault", "sequence_column": "run", "order_column": "second"}\`. \`/predict\` takes their steps, \`{"instances": [{"run": "r1", "second": 0, "current": 3.1}, {"run": "r1", "second": 1, "current": 3.4}]}\`, and answers once a sequence, with its \`id\`. \`sequence_multiclass\` and \`sequence_regression\` are asked alike. \`/explain?segments=8\` tells of one sequence also what each of eight stretches of time adds.
- What is odd in the rows of a run (gaps, repeated stamps, sequences of one step) is either refused with the series or sequence and the row, or handled and reported in the warnings of the model's card.

## What holds everywhere

- Send \`Authorization: Bearer <API key or access token>\` with every operation that needs it.
- A request that is wrong is answered 422 with \`{"detail": [{"loc", "msg", "type"}]}\`, each fault at its place; every other error is \`application/problem+json\`.
- Members and parameters that an operation does not know are refused, so that nothing misspelt is passed over.
- A POST that creates takes \`Idempotency-Key\`: sent again by the same caller, it is answered as the first time, and nothing is made again.
- Examples of answers are those of a real run, one operation after another, with long lists cut short.
- Lists come in pages: send \`next_page_token\` as \`page_token\` (\`nextPageToken\` as \`pageToken\`) to read on.`;

export const GUIDE: DocumentGuide = {
  description: WALK_THROUGH,
  tags: [
    { name: "Training", description: "Runs that search, select and fit models." },
    { name: "Models", description: "Predict, explain, name, download, delete." },
    { name: "Registry", description: "Names with versions, and aliases that are moved." },
    { name: "Evaluations", description: "Models on rows whose truth is known." },
    { name: "Serving", description: "Stable addresses in front of models." },
    { name: "Open Inference Protocol", description: "Endpoints and models for stock clients." },
    {
      name: "Batch predictions",
      description: "Predictions of whole files, datasets, tables and queries, as jobs.",
    },
    {
      name: "Retention",
      description: "How long things are kept, how much there may be, and what is in use.",
    },
    { name: "Datasets", description: "The tables that runs learn from." },
    { name: "Uploads", description: "Files that come in parts, and become datasets." },
    { name: "Jobs", description: "Progress, events, results and reports of jobs of any kind." },
    { name: "Documents", description: "Documents, their schemas and their answers as rows." },
    { name: "Workspaces", description: "The organization's SQL data environment." },
    { name: "Catalogs", description: "What a workspace contains." },
    { name: "Schemas", description: "What a catalog contains." },
    { name: "Tables", description: "Tables over files or over a warehouse." },
    { name: "Queries", description: "SQL over all of them." },
    { name: "Saved statements", description: "SQL that is kept by name." },
    { name: "Organization", description: "API keys and what they may do; who changed what." },
    { name: "Service", description: "For operators: workers, the queue, settings." },
    { name: "Console", description: "Who is signed in at the console, the service's web pages." },
    { name: "Connectors", description: "Access to data in object stores and warehouses." },
  ],
  terms: TERMS,
  examples: EXAMPLES,
  answers: ANSWERS,
};
