/**
 * Writes fixtures/models.json: the models of `cases.ts`, what they were exported as, and what ONNX
 * Runtime and LightGBM answered for the rows of `askedTable`. Models that it has already stay as they
 * are: delete the file to train them anew. Run it with a Python that has onnx, onnxruntime and lightgbm:
 * PYTHON=… node engine/src/export/testing/record.ts
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DOCUMENT_PATH, parseModelDocument } from "../../model/document.ts";
import { loadModel } from "../../model/load.ts";
import { sha256 } from "../../model/sha256.ts";
import { train } from "../../train.ts";
import { ExportError } from "../export-error.ts";
import { exportLightGbm } from "../lightgbm/export-lightgbm.ts";
import { exportOnnx } from "../onnx/export-onnx.ts";
import { askedCells, askedTable, CASES, type Case, labelOf, learnedRows } from "./cases.ts";

const TARGET = fileURLToPath(new URL("../fixtures/models.json", import.meta.url));
const ANSWERS = fileURLToPath(new URL("../fixtures/answers.py", import.meta.url));
const LABELS = ["y", "two", "many", "row", "stepped"];
/** So often each row comes where numbers are to repeat. */
const REPEATS = 8;

/** The model's files, as the case changes them. */
async function trained(one: Case, folder: string): Promise<Map<string, Uint8Array>> {
  const table = join(folder, "rows.ndjson");
  const rows = learnedRows();
  // Columns of mostly different cells are texts, and no categories.
  const repeats = one.streets ? 2 : one.steps ? REPEATS : 1;
  const learned = Array.from({ length: repeats }, () => rows).flat();
  writeFileSync(table, learned.map((row) => JSON.stringify(row)).join("\n"));
  const label = labelOf(one);
  const run = await train(
    { path: table, format: "ndjson" },
    {
      task: {
        taskKind: one.taskKind,
        labelColumn: label,
        ignoreColumns: [
          ...LABELS.filter((name) => name !== label),
          ...(one.timeless ? ["day"] : []),
          ...(one.streets ? [] : ["street"]),
          ...(one.steps ? [] : ["step"]),
          ...(one.ignored ?? []),
        ],
      },
      hpoSpace: { models: one.families.map((row) => ({ ...row, search: {} })) },
      nTrials: 1,
      nCvSplits: one.blend ? 2 : null,
      ensemble: one.blend,
    },
    { folder: join(folder, "run"), threads: 1 },
  );
  const files = new Map<string, Uint8Array>();
  const read = (path: string): Uint8Array => readFileSync(join(folder, "run", "model", path));
  for (const { path } of run.model.document.files) files.set(path, read(path));
  const document = parseModelDocument(read(DOCUMENT_PATH));
  const changed = JSON.stringify(one.changed?.(document) ?? document);
  files.set(DOCUMENT_PATH, new TextEncoder().encode(changed));
  return files;
}

function lightGbmOf(model: Parameters<typeof exportLightGbm>[0]): string | null {
  try {
    return exportLightGbm(model);
  } catch (fault) {
    if (fault instanceof ExportError) return null;
    throw fault;
  }
}

interface Kept {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
}

function kept(): ReadonlyMap<string, Kept> {
  if (!existsSync(TARGET)) return new Map();
  const models: Kept[] = JSON.parse(readFileSync(TARGET, "utf8"));
  return new Map(models.map((model) => [model.name, model]));
}

const filesOf = ({ files }: Kept): Map<string, Uint8Array> =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text, "base64")]));

const known = kept();
const recorded: unknown[] = [];
for (const one of CASES) {
  const folder = mkdtempSync(join(tmpdir(), "export-"));
  try {
    const before = known.get(one.name);
    const files = before ? filesOf(before) : await trained(one, folder);
    const model = await loadModel(async (path) => files.get(path) ?? new Uint8Array());
    const onnx = exportOnnx(model);
    const lightgbm = lightGbmOf(model);
    writeFileSync(join(folder, "model.onnx"), onnx);
    if (lightgbm !== null) writeFileSync(join(folder, "model.txt"), lightgbm);
    const input = JSON.stringify({
      folder,
      columns: model.document.schema.columns,
      cells: askedCells(askedTable()),
      lightgbm: lightgbm !== null,
    });
    const python = process.env["PYTHON"] || "python3";
    const answers: unknown = JSON.parse(
      execFileSync(python, [ANSWERS], { input, encoding: "utf8", maxBuffer: 2 ** 26 }),
    );
    recorded.push({
      name: one.name,
      files: Object.fromEntries(
        [...files].map(([path, bytes]) => [path, Buffer.from(bytes).toString("base64")]),
      ),
      onnx: sha256(onnx),
      lightgbm: lightgbm === null ? null : sha256(new TextEncoder().encode(lightgbm)),
      answers,
    });
    process.stdout.write(`${one.name}: ${onnx.length} bytes of ONNX\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
writeFileSync(TARGET, `${JSON.stringify(recorded)}\n`);
