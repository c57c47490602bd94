/** Loading a model directory, in any process, without the trainer. */

import { z } from "zod";
import { Arena } from "../compute/arena.ts";
import type { FeatureBins } from "../data/encoded.ts";
import { schemaFeatures } from "../data/feature-schema.ts";
import { parseDriftReference } from "../drift/reference.ts";
import { loaderOf } from "../families/loaders.ts";
import { DOCUMENT_PATH, type ModelDocument, parseModelDocument } from "./document.ts";
import { loadBins } from "./encoder-file.ts";
import { type LoadedMember, Model } from "./model.ts";
import { ModelFormatError } from "./model-format-error.ts";
import { unpackModel } from "./packed.ts";
import { loadSeriesWeights } from "./series-weights-file.ts";
import { sha256 } from "./sha256.ts";

/** Members beyond stay out of the arena, which ends at 4 GiB and is to hold the rows too. */
const RESIDENT_BYTES = 2 ** 31;

/**
 * Reads one file of a model directory by its path relative to it; `bytes` is the size that `model.json`
 * lists, where it does.
 */
export type ReadModelFile = (path: string, bytes?: number) => Promise<Uint8Array>;

/**
 * @param Kind what it becomes
 * @throws {ModelFormatError} when a file is absent, damaged, or of a newer format
 */
export async function loadModel(read: ReadModelFile, Kind = Model): Promise<Model> {
  const document = parseModelDocument(await readPart(read, DOCUMENT_PATH));
  // All are asked for at once.
  const files = new Map(
    await Promise.all(
      document.files.map(async (listed) => [listed.path, await readListed(read, listed)] as const),
    ),
  );
  const file = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (bytes) return bytes;
    throw new ModelFormatError(`${DOCUMENT_PATH} does not list ${path}; it is damaged.`);
  };

  const encoders: (readonly FeatureBins[])[] = [];
  for (const { file: path } of document.encoders) {
    encoders.push(contentsOf(path, () => loadBins(unpackModel(file(path), path), path)));
  }
  const features = schemaFeatures(document.schema.columns);
  const weightsFile = document.seriesWeights?.file;
  const bySeries = weightsFile
    ? loadSeriesWeights(
        unpackModel(file(weightsFile), weightsFile),
        document.members.length,
        weightsFile,
      )
    : null;
  const members: LoadedMember[] = [];
  const arena = Arena.create();
  const reads = { values: false, bins: false };
  for (const [index, entry] of document.members.entries()) {
    const family = loaderOf(entry.family);
    if (!family) {
      throw new ModelFormatError(
        `The model needs the family ${entry.family}, which this version does not have.`,
      );
    }
    reads[family.reads === "bins" ? "bins" : "values"] = true;
    const model = contentsOf(entry.file, () =>
      family.load(unpackModel(file(entry.file), entry.file), {
        task: document.task,
        features,
        bins: family.reads === "bins" ? encoders[entry.encoder] : null,
        ...(arena.liveBytes <= RESIDENT_BYTES && { arena: arena.handle() }),
      }),
    );
    if (model.readsValues === true) reads.values = true;
    const { weight, calibration, encoder, fold } = entry;
    const ofSeries = bySeries?.[index] ?? null;
    members.push({ weight, bySeries: ofSeries, calibration, encoder, fold, model });
  }
  const frame = document.frame ? unpackModel(file(document.frame.file), document.frame.file) : null;
  const listed = document.reference?.file;
  const reference = listed ? contentsOf(listed, () => parseDriftReference(file(listed))) : null;
  const encoding = { bins: encoders, reads, frame };
  const model = new Kind(document, { features, members, encoding, reference, arena });
  // What tells sequences or series apart is read here rather than at the first question.
  if (document.frame) contentsOf(document.frame.file, () => model.inputs);
  return model;
}

/** What cannot be read in a file is said of the file, whoever says it. */
function contentsOf<Contents>(path: string, read: () => Contents): Contents {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof ModelFormatError) throw cause;
    const said = cause instanceof Error ? cause.message : String(cause);
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : said;
    throw new ModelFormatError(`${path} cannot be read: ${why}`, { cause });
  }
}

async function readListed(
  read: ReadModelFile,
  { path, bytes: length, sha256: hash }: ModelDocument["files"][number],
): Promise<Uint8Array> {
  const bytes = await readPart(read, path, length);
  if (bytes.length !== length || sha256(bytes) !== hash) {
    throw new ModelFormatError(
      `${path} is damaged: its ${bytes.length} bytes do not have the hash that ${DOCUMENT_PATH} lists.`,
    );
  }
  return bytes;
}

async function readPart(read: ReadModelFile, path: string, size?: number): Promise<Uint8Array> {
  try {
    return await read(path, size);
  } catch (cause) {
    if (cause instanceof ModelFormatError) throw cause;
    throw new ModelFormatError(`The model's file ${path} cannot be read.`, { cause });
  }
}
