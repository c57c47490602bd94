/**
 * What an archive holds to answer rows with nothing installed: `@distillery/predict` as one file (built by
 * `scripts/build-kernels.ts`), a program of Node that calls it, and a page.
 */

import { readFile } from "node:fs/promises";

const BUILT = new URL("./predictor/", import.meta.url);

export interface PredictorFile {
  readonly path: string;
  readonly text: string;
}

/** @param body what a request for predictions is sent as an example */
export async function predictorFiles(name: string, body: object): Promise<PredictorFile[]> {
  const [predictor, licences] = await Promise.all(
    ["index.js", "LICENSES"].map((file) => readFile(new URL(file, BUILT), "utf8")),
  );
  return [
    { path: "predict.mjs", text: program(body) },
    { path: "predict.html", text: page(name, body) },
    { path: "predict/index.js", text: predictor },
    // So that Node 20 reads it as the module that it is, and `import "@distillery/predict"` may lead to it.
    {
      path: "predict/package.json",
      text: `${JSON.stringify({ name: "@distillery/predict", private: true, type: "module", exports: "./index.js" }, null, 2)}\n`,
    },
    { path: "predict/LICENSES", text: licences },
  ];
}

const program = (body: object): string => `/**
 * Answers rows by the model beside it, with nothing installed: \`node predict.mjs\` answers an example,
 * \`node predict.mjs '{"instances": [{…}]}'\` what it is given, \`node predict.mjs - < rows.json\` what it reads.
 */

import { readFile } from "node:fs/promises";
import process from "node:process";
import { text } from "node:stream/consumers";
import { loadModel, RowsError } from "./predict/index.js";

const EXAMPLE = ${JSON.stringify(body, null, 2)};

const USAGE = \`node predict.mjs                          answers an example
node predict.mjs '{"instances": [{…}]}'   answers rows, as JSON
node predict.mjs - < rows.json            answers those that it reads\`;

const [given] = process.argv.slice(2);
if (given === "--help" || given === "-h") {
  console.log(USAGE);
  process.exit(0);
}
const folder = new URL("./model/", import.meta.url);
const rows = given === undefined ? EXAMPLE : parsed(given === "-" ? await text(process.stdin) : given);
if (given === undefined) console.error(\`The example's answer; rows of your own:\\n\${USAGE}\\n\`);

function parsed(json) {
  try {
    return JSON.parse(json);
  } catch (error) {
    console.error(\`The rows are no JSON: \${error.message}\\n\${USAGE}\`);
    process.exit(1);
  }
}

const model = await loadModel({ read: (path) => readFile(new URL(path, folder)) });
try {
  const { predictions, warnings } = model.predict(rows);
  for (const warning of warnings) console.error(warning);
  console.log(JSON.stringify(predictions, null, 2));
} catch (error) {
  if (!(error instanceof RowsError)) throw error;
  for (const { loc, msg } of error.detail) console.error(\`\${loc.join(".")}: \${msg}\`);
  process.exitCode = 1;
}
`;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};
const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark);

/** Reads the model's folder over HTTP; browsers load no modules from `file:`, which it says. */
const page = (name: string, body: object): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Predict with ${escaped(name)}</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
  textarea { box-sizing: border-box; width: 100%; font: 14px/1.4 ui-monospace, monospace; }
  button { font: inherit; margin: 0.5rem 0; padding: 0.25rem 1rem; }
  pre { overflow-x: auto; font: 14px/1.4 ui-monospace, monospace; }
</style>
<h1>Predict with ${escaped(name)}</h1>
<p id="state">Loading the model…</p>
<label for="rows">Rows, as the service takes them:</label>
<textarea id="rows" rows="14" spellcheck="false">
${escaped(JSON.stringify(body, null, 2))}</textarea>
<button id="predict" disabled>Predict</button>
<pre id="answer" aria-live="polite"></pre>
<script>
  if (location.protocol === "file:") {
    document.getElementById("state").textContent =
      "Browsers load no modules from files. Serve this folder, by python3 -m http.server, say, and open http://localhost:8000/predict.html";
  }
</script>
<script type="module">
  import { loadModel, RowsError } from "./predict/index.js";
  const at = (id) => document.getElementById(id);
  try {
    const model = await loadModel(new URL("./model/", location.href));
    at("state").textContent = "The model runs in this page; rows leave it for nowhere.";
    at("predict").disabled = false;
    at("predict").addEventListener("click", () => {
      try {
        const { predictions, warnings } = model.predict(JSON.parse(at("rows").value));
        at("answer").textContent = [...warnings, JSON.stringify(predictions, null, 2)].join("\\n");
      } catch (error) {
        at("answer").textContent =
          error instanceof RowsError
            ? error.detail.map(({ loc, msg }) => loc.join(".") + ": " + msg).join("\\n")
            : String(error);
      }
    });
  } catch (error) {
    at("state").textContent = String(error);
  }
</script>
</html>
`;
