/** How a model is called, in three languages, with a row of its own columns. */

import { type Model, type ModelCardDocument, typeOf } from "@distillery/engine";

type Row = Readonly<Record<string, unknown>>;

/** Where the service is, and what it calls the model. */
export interface ModelAddress {
  readonly baseUrl: string;
  readonly modelId: string;
}

/** What a request for predictions is sent as an example: of series, what follows the training data. */
export const exampleBody = (model: Model, example: Row): object =>
  typeOf(model.document.task).framing?.kind === "series" ? {} : { instances: [example] };

/** @param onnx whether the archive has the model as ONNX too */
export function callsOf(
  model: Model,
  { baseUrl, modelId }: ModelAddress,
  onnx: boolean,
): (example: Row) => ModelCardDocument["calls"] {
  return (example) => {
    const body = exampleBody(model, example);
    const url = `${baseUrl}/v1/models/${modelId}/predict`;
    return [
      { title: "curl", language: "sh", code: curl(url, body) },
      { title: "JavaScript, without the service", language: "js", code: predictor(body) },
      {
        title: onnx ? "Python, without the service" : "Python",
        language: "python",
        code: onnx ? runtime(model, example) : requesting(url, body),
      },
    ];
  };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function curl(url: string, body: object): string {
  return [
    `curl ${quoted(url)} \\`,
    '  -H "Authorization: Bearer $DISTILLERY_API_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join("\n");
}

function predictor(body: object): string {
  return [
    "// call.mjs, in the folder of the unpacked archive; nothing is installed.",
    'import { readFile } from "node:fs/promises";',
    'import { loadModel } from "./predict/index.js";',
    "",
    'const model = await loadModel({ read: (path) => readFile("model/" + path) });',
    `const { predictions } = model.predict(${JSON.stringify(body)});`,
    "console.log(predictions);",
  ].join("\n");
}

function requesting(url: string, body: object): string {
  return [
    "import json, os, urllib.request",
    "",
    `body = json.loads(${JSON.stringify(JSON.stringify(body))})`,
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    "    json.dumps(body).encode(),",
    "    {",
    '        "Authorization": "Bearer " + os.environ["DISTILLERY_API_KEY"],',
    '        "Content-Type": "application/json",',
    "    },",
    ")",
    "print(json.load(urllib.request.urlopen(request)))",
  ].join("\n");
}

/** Of the row's cells as the graph takes them. */
function runtime(model: Model, example: Row): string {
  const lines = model.document.schema.columns.map(({ name, kind }) => {
    const given = example[name];
    if (kind === "categorical" || kind === "text") {
      return `    ${JSON.stringify(name)}: np.array([[${JSON.stringify(String(given))}]], dtype=object),`;
    }
    const number =
      kind === "timestamp" ? Date.parse(String(given)) : kind === "boolean" ? 1 : Number(given);
    const comment = kind === "timestamp" ? "  # milliseconds since 1970, UTC" : "";
    return `    ${JSON.stringify(name)}: np.array([[${JSON.stringify(number)}]], dtype=np.float64),${comment}`;
  });
  return [
    "import numpy as np",
    "import onnxruntime",
    "",
    'session = onnxruntime.InferenceSession("model.onnx")',
    "row = {",
    ...lines,
    "}",
    "for output, value in zip(session.get_outputs(), session.run(None, row)):",
    "    print(output.name, value)",
  ].join("\n");
}
