/** The archive's README.md: what lies in it, and how the model is called. */

import type { ModelCardDocument } from "@distillery/engine";

interface ArchivedFile {
  readonly path: string;
  readonly about: string;
}

/** @param whyNoOnnx null = the archive has it */
export function readmeOf(card: ModelCardDocument, whyNoOnnx: string | null): string {
  const version = card.version === null ? "" : ` version ${card.version}`;
  const files: readonly ArchivedFile[] = [
    { path: "model/", about: "the model: `model.json` and the files that it lists" },
    { path: "card.json, card.html", about: "what it is, how good it is, and its limits" },
    ...(whyNoOnnx === null
      ? [{ path: "model.onnx", about: "the same model as an ONNX graph" }]
      : []),
    { path: "predict.mjs", about: "answers rows: `node predict.mjs`; nothing is installed" },
    { path: "predict.html", about: "the same as a page, where the folder is served" },
    { path: "predict/", about: "`@distillery/predict` in one file, which both load" },
  ];
  return [
    `# ${plain(card.name)}${version}`,
    "",
    `${card.task.title} of ${plain(card.task.label)}. ${plain(card.answers)}`,
    "",
    "| file | what it is |",
    "| --- | --- |",
    ...files.map(({ path, about }) => `| ${path} | ${about} |`),
    "",
    ...(whyNoOnnx === null
      ? [
          "In `model.onnx` each column is an input of rows × 1: numbers, booleans (0, 1) and times (milliseconds since 1970, UTC) are doubles in which NaN is missing; categories and texts are strings, the empty one is missing.",
        ]
      : [`There is no \`model.onnx\`: ${plain(whyNoOnnx)}`]),
    "",
    "## Answer rows here",
    "",
    "What the service would answer, bit for bit in Node 24; Node 20 and 22 run it too, and may differ in the last digits:",
    "",
    "```sh",
    "node predict.mjs                 # an example",
    "node predict.mjs - < rows.json   # what a request to the service is sent, or a list of rows",
    "```",
    "",
    "`predict.html` does so in a browser: `python3 -m http.server`, then http://localhost:8000/predict.html.",
    "",
    ...card.calls.flatMap(({ title, language, code }) => [
      `## ${title}`,
      "",
      `${fence(code)}${language}`,
      code,
      fence(code),
      "",
    ]),
  ].join("\n");
}

/** In one line, and nothing of it markup. */
const plain = (text: string): string =>
  text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|]/g, (mark) => `\\${mark}`);

/** Longer than any in the code. */
function fence(code: string): string {
  const longest = Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  return "`".repeat(Math.max(3, longest + 1));
}
