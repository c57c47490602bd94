/**
 * An example of each body that an operation takes, by operation and media type. `answers.json` beside
 * it has what a server answered to them (`scripts/record-answers.ts`).
 */

export const EXAMPLE_DATASET = "3f1c2e7a-5b8d-4c9e-a1f0-6d2b7c8e9f10";
export const EXAMPLE_MODEL = "8a5e0c1d-94b3-4f27-a6d8-2c7f1e3b5a90";
export const EXAMPLE_CHALLENGER = "b47d92e6-1f05-4c8a-9e3b-7d6a0c2f8e14";
export const EXAMPLE_PREDICTION = "AZzKq1nTAAAAAqB1Y2Rl0Zf4c1o9W2xk";
const LAKE = "workspaces/acme/connectors/lake";
const WAREHOUSE = "workspaces/acme/connectors/shop";

const json = (example: unknown) => ({ "application/json": example });

const documents = {
  ...json({
    documents: [
      { name: "c.txt", text: "BOOK SHOP\nDate: 07/04/2031\nTotal: 31.00", columns: { paid: true } },
    ],
  }),
  "multipart/form-data": { files: ["(a file)"] },
};

const infer = {
  ...json({
    inputs: [
      { name: "age", datatype: "INT64", shape: [2], data: [41, 29] },
      { name: "plan", datatype: "BYTES", shape: [2], data: ["basic", "plus"] },
    ],
    outputs: [{ name: "label" }, { name: "probabilities" }],
  }),
  "application/octet-stream": "(the JSON, and behind it the bytes of its tensors)",
};

const listingTable = {
  spec: {
    listing: {
      connector: LAKE,
      tablePaths: ["s3://bucket/sales/"],
      snapshot: { options: { fileType: "csv", formatOptions: { "format.delimiter": ";" } } },
    },
  },
};

const rows = {
  instances: [
    { age: 41, plan: "basic", tenure: 7.5 },
    { age: 29, plan: "plus", tenure: 30.2 },
  ],
};

export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  apiKeys_create: json({
    name: "nightly runs",
    scopes: ["training:write", "datasets:read", "models:read"],
  }),
  session_create: json({ one_time_token: "vYw1tXbJ0kq3ZsE5nR8uLh2dFgC7pMaTiQ4oSxW9yBe" }),
  session_authorize: json({ return_to: "/models" }),
  models_patch: json({ name: "churn", tags: { team: "growth" }, notes: "Trained on spring." }),
  registry_setAlias: json({ version: 1 }),
  retention_patch: json({ keep_versions: 10, failed_job_days: 30, quotas: { open_jobs: 20 } }),
  retention_dryRun: json({ keep_versions: 1, unused_dataset_days: 0 }),
  retention_applyNow: json({ limit: 100 }),
  uploads_create: json({ name: "customers", bytes: 6_720, file_name: "customers.csv" }),
  uploads_part: { "application/octet-stream": "(bytes of the file)" },
  statements_create: json({
    title: "Sales by region",
    sql: "SELECT region, sum(amount) AS amount FROM retail.public.sales GROUP BY region",
  }),
  statements_patch: json({ title: "Sales of each region" }),
  workspaces_create: json({
    name: "workspaces/acme",
    sqlDefaults: { defaultCatalog: "retail", defaultSchema: "public" },
  }),
  workspaces_patch: json({ sqlDefaults: { defaultSchema: "sales" } }),
  catalogs_create: json({ relational: { connector: WAREHOUSE, sourceCatalog: "shop" } }),
  catalogs_patch: json({ relational: null }),
  schemas_create: json({}),
  schemas_patch: json({
    relational: { connector: WAREHOUSE, sourceCatalog: "shop", sourceSchema: "public" },
  }),
  tables_create: json(listingTable),
  tables_patch: json(listingTable),
  objectStoreConnectors_create: json({
    connector_name: "lake",
    url: "s3://bucket/sales/",
    region: "eu-central-1",
    credential_name: "reader of the lake",
    credentials: { access_key_id: "AKIAEXAMPLE", secret_access_key: "example-secret" },
  }),
  objectStoreConnectors_patch: json({ region: "eu-west-1" }),
  warehouseConnectors_create: json({
    connector_name: "shop",
    kind: "postgres",
    url: "postgres://db.example.com:5432/shop?sslmode=require",
    credentials: { username: "reader", password: "a secret" },
  }),
  warehouseConnectors_patch: json({
    credentials: { username: "reader", password: "another secret" },
  }),
  queries_export: json({ sql: "SELECT * FROM retail.public.sales", format: "parquet" }),
  queries_run: json({
    sql: "SELECT region, sum(amount) AS amount FROM retail.public.sales WHERE year = $1 GROUP BY region",
    parameters: [2031],
    maxRows: 100,
  }),
  queries_explain: json({ sql: "SELECT * FROM retail.public.sales WHERE region = 'north'" }),
  datasets_create: {
    "text/csv": "age,plan,tenure,churned\n41,basic,7.5,yes\n29,plus,30.2,no\n",
    "application/vnd.apache.parquet": "PAR1…",
    "application/vnd.apache.arrow.stream": "(an Arrow IPC stream)",
    "application/vnd.apache.arrow.file": "ARROW1…",
    "application/x-ndjson": '{"age":41,"plan":"basic","tenure":7.5,"churned":"yes"}\n',
    "multipart/form-data": {
      name: "customers",
      file: "age,plan,tenure,churned\n41,basic,7.5,yes\n",
    },
    "application/json": { name: "sales of the north", sql: "SELECT * FROM retail.public.sales" },
  },
  documents_upload: {
    "multipart/form-data": { files: ["(the bytes of invoice-1.pdf)"] },
    "application/json": { name: "note.txt", text: "Date: 03/04/2031\nTotal: 12.50" },
  },
  agentic_induce: json({
    documents: [
      { name: "a.txt", text: "CORNER SHOP\nDate: 03/04/2031\nTotal: 12.50" },
      { name: "b.txt", text: "TEA HOUSE\nDate: 05/04/2031\nTotal: 7.20" },
    ],
    use_case: "Predict the total of a receipt from what is bought where and when",
    skill: "general",
    model_id: "receipts",
  }),
  agentic_extract: json({
    model_id: "receipts",
    documents: [{ name: "c.txt", text: "BOOK SHOP\nTotal: 31.00", columns: { kept: true } }],
    register_dataset: { name: "receipts of April" },
  }),
  agentic_setLabel: json({ value: 12.5 }),
  training_run: json({
    dataset_id: EXAMPLE_DATASET,
    name: "churn",
    filter: { kind: "comparison", column: "age", op: "ge", value: 18 },
    task: { task_kind: "binclass", label_column: "churned" },
    model_families: ["gbdt", "linear"],
    metrics: ["roc_auc", "log_loss"],
    n_trials: 20,
    time_budget_s: 60,
    job_tags: { team: "retention" },
  }),
  batchPredictions_create: {
    "application/json": {
      model_id: "churn@champion",
      source: { sql: "SELECT * FROM retail.public.customers WHERE tenure > $1", parameters: [6] },
      output: { format: "parquet", columns: ["age", "plan"], register_dataset: "churn of April" },
      intervals: true,
    },
    "text/csv": "age,plan,tenure\n41,basic,7.5\n29,plus,30.2\n",
    "application/vnd.apache.parquet": "PAR1…",
    "application/vnd.apache.arrow.stream": "(an Arrow IPC stream)",
    "application/vnd.apache.arrow.file": "ARROW1…",
    "application/x-ndjson": '{"age":41,"plan":"basic","tenure":7.5}\n',
    "multipart/form-data": { file: "age,plan,tenure\n41,basic,7.5\n" },
  },
  models_predict: {
    ...json(rows),
    "application/vnd.apache.arrow.stream": "(an Arrow IPC stream)",
    "application/vnd.apache.arrow.file": "ARROW1…",
  },
  models_explain: json(rows),
  models_predictDocuments: documents,
  serving_predictDocuments: documents,
  evaluations_create: json({
    model_id: EXAMPLE_MODEL,
    compare_with: [EXAMPLE_CHALLENGER],
    dataset_id: EXAMPLE_DATASET,
    metrics: ["roc_auc", "log_loss"],
    slices: ["plan"],
  }),
  serving_create: json({
    name: "churn",
    models: [{ model_id: EXAMPLE_MODEL, traffic: 100 }],
    prediction_log: { sample_rate: 1 },
  }),
  serving_feedback: json({
    labels: [
      { prediction_id: EXAMPLE_PREDICTION, label: "yes" },
      { prediction_id: EXAMPLE_PREDICTION, row: 1, label: "no" },
    ],
  }),
  serving_labelledDataset: json({ name: "churn as it came out" }),
  serving_patch: json({
    models: [
      { model_id: EXAMPLE_MODEL, traffic: 90 },
      { model_id: EXAMPLE_CHALLENGER, traffic: 10 },
    ],
  }),
  serving_predict: json(rows),
  inference_infer: infer,
  inference_inferVersion: infer,
  serving_explain: json(rows),
};
