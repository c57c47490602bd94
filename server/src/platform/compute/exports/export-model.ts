/** A model in forms of other programs, and its card: computed in a thread of its own. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  buildModelCard,
  type CardKeeper,
  ExportError,
  exportLightGbm,
  exportOnnx,
  loadModel,
  type Model,
  modelCardPage,
  modelFolder,
  parseModelDocument,
} from "@distillery/engine";
import { callsOf, exampleBody } from "./model-calls.ts";
import { type PredictorFile, predictorFiles } from "./predictor-files.ts";
import { readmeOf } from "./readme.ts";

/** Of a model's own files: what is made of it takes several times as much memory. */
const MOST_BYTES = 128 * 2 ** 20;

export type ExportForm = "onnx" | "lightgbm";

export interface ExportRequest {
  /** A local copy of the model's directory. */
  readonly folder: string;
  readonly form: ExportForm;
}

/** The bytes, or why there are none. */
export type Exported = { readonly bytes: Uint8Array } | { readonly refused: string };

export async function exported({ folder, form }: ExportRequest): Promise<Exported> {
  return (await tooLarge(folder)) ?? written(await loadModel(modelFolder(folder)), form);
}

export interface CardRequest {
  readonly folder: string;
  readonly keeper: CardKeeper;
  readonly baseUrl: string;
  readonly form: "html" | "json";
}

/** The card as a page, or as JSON. */
export async function cardOf({ folder, keeper, baseUrl, form }: CardRequest): Promise<Uint8Array> {
  const model = await loadModel(modelFolder(folder));
  const calls = callsOf(model, { baseUrl, modelId: keeper.id }, false);
  const card = buildModelCard(model, keeper, calls);
  return Buffer.from(form === "html" ? modelCardPage(card) : JSON.stringify(card));
}

export interface ArchiveRequest {
  readonly folder: string;
  readonly keeper: CardKeeper;
  readonly baseUrl: string;
}

/** What an archive holds beside the model's directory. */
export interface ArchiveParts {
  readonly readme: string;
  readonly card: string;
  readonly page: string;
  readonly onnx: Uint8Array | null;
  /** What answers rows by the model's directory. */
  readonly predictor: readonly PredictorFile[];
  /** The files of the model's directory. */
  readonly files: readonly string[];
}

export async function archiveParts({
  folder,
  keeper,
  baseUrl,
}: ArchiveRequest): Promise<ArchiveParts> {
  const model = await loadModel(modelFolder(folder));
  const onnx = (await tooLarge(folder)) ?? written(model, "onnx");
  const has = "bytes" in onnx;
  const card = buildModelCard(model, keeper, callsOf(model, { baseUrl, modelId: keeper.id }, has));
  return {
    readme: readmeOf(card, has ? null : onnx.refused),
    card: `${JSON.stringify(card, null, 2)}\n`,
    page: modelCardPage(card),
    onnx: has ? onnx.bytes : null,
    predictor: await predictorFiles(card.name, exampleBody(model, card.example)),
    files: ["model.json", ...model.document.files.map(({ path }) => path)],
  };
}

function written(model: Model, form: ExportForm): Exported {
  try {
    return {
      bytes: form === "onnx" ? exportOnnx(model) : Buffer.from(exportLightGbm(model)),
    };
  } catch (fault) {
    if (fault instanceof ExportError) return { refused: fault.message };
    throw fault;
  }
}

async function tooLarge(folder: string): Promise<{ readonly refused: string } | null> {
  const document = parseModelDocument(await readFile(join(folder, "model.json")));
  const bytes = document.files.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= MOST_BYTES) return null;
  return {
    refused: `Models of up to ${MOST_BYTES / 2 ** 20} MiB are written in other forms here, and this one has ${Math.ceil(bytes / 2 ** 20)}. Download it, and export it with @distillery/engine.`,
  };
}
