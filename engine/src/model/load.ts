/** Loading a model directory, in any process, without the trainer. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { schemaFeatures } from "../data/feature-schema.ts";
import { familyById } from "../families/index.ts";
import { DOCUMENT_PATH, type ModelDocument, parseModelDocument, sha256 } from "./document.ts";
import { loadBins } from "./encoder-file.ts";
import { type LoadedMember, Model } from "./model.ts";
import { ModelFormatError, unpackModel } from "./packed.ts";

/** Reads one file of a model directory by its path relative to it. */
export type ReadModelFile = (path: string) => Promise<Uint8Array>;

/** Reads the files of a model that lies in a local folder, for `loadModel`. */
export function modelFolder(folder: string): ReadModelFile {
  return (path) => readFile(join(folder, path));
}

/** @throws {ModelFormatError} when a file is absent, damaged, or of a newer format */
export async function loadModel(read: ReadModelFile): Promise<Model> {
  const document = parseModelDocument(await readPart(read, DOCUMENT_PATH));
  const file = (path: string): Promise<Uint8Array> => readListed(read, document, path);

  const encoders = [];
  for (const { file: path } of document.encoders) {
    encoders.push(loadBins(unpackModel(await file(path), path), path));
  }
  const features = schemaFeatures(document.schema.columns);
  const members: LoadedMember[] = [];
  const reads = { values: false, bins: false };
  for (const entry of document.members) {
    const family = familyById(entry.family);
    if (!family) {
      throw new ModelFormatError(
        `The model needs the family ${entry.family}, which this version does not have.`,
      );
    }
    reads[family.reads === "bins" ? "bins" : "values"] = true;
    const model = family.load(unpackModel(await file(entry.file), entry.file), {
      task: document.task,
      features,
      bins: family.reads === "bins" ? encoders[entry.encoder] : null,
    });
    const { weight, calibration, encoder, fold } = entry;
    members.push({ weight, calibration, encoder, fold, model });
  }
  const frame = document.frame
    ? unpackModel(await file(document.frame.file), document.frame.file)
    : null;
  return new Model(document, features, members, { bins: encoders, reads, frame });
}

async function readListed(
  read: ReadModelFile,
  document: ModelDocument,
  path: string,
): Promise<Uint8Array> {
  const entry = document.files.find((file) => file.path === path);
  if (!entry) throw new ModelFormatError(`${DOCUMENT_PATH} does not list ${path}; it is damaged.`);
  const bytes = await readPart(read, path);
  if (bytes.length !== entry.bytes || sha256(bytes) !== entry.sha256) {
    throw new ModelFormatError(
      `${path} is damaged: its ${bytes.length} bytes do not have the hash that ${DOCUMENT_PATH} lists.`,
    );
  }
  return bytes;
}

async function readPart(read: ReadModelFile, path: string): Promise<Uint8Array> {
  try {
    return await read(path);
  } catch (cause) {
    throw new ModelFormatError(`The model's file ${path} cannot be read.`, { cause });
  }
}
