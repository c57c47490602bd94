/** The files of a model directory, from its parts. Equal parts give equal bytes. */

import type { FeatureBins } from "../data/encoded.ts";
import { type DriftReference, packDriftReference } from "../drift/reference.ts";
import type { SavedFrame } from "../tasks/framing.ts";
import {
  DOCUMENT_PATH,
  MODEL_FORMAT,
  MODEL_VERSION,
  type ModelDocument,
  type ModelMember,
} from "./document.ts";
import { saveBins } from "./encoder-file.ts";
import { packModel } from "./packed.ts";
import { saveSeriesWeights } from "./series-weights-file.ts";
import { sha256 } from "./sha256.ts";

const FRAME_PATH = "frame.dsm";
const REFERENCE_PATH = "reference.json";
const ROW_SKETCH_PATH = "learned-rows.dsm";
const SERIES_WEIGHTS_PATH = "series-weights.dsm";

export interface ModelParts {
  readonly document: Omit<
    ModelDocument,
    | "format"
    | "version"
    | "members"
    | "encoders"
    | "frame"
    | "reference"
    | "rowSketch"
    | "seriesWeights"
    | "files"
  >;
  /** Of kinds whose rows are made of several of a request's. */
  readonly frame: SavedFrame | null;
  /** What its rows are compared with later; null where they are not predicted one by one. */
  readonly reference: DriftReference | null;
  /** See `row-sketch.ts`, as its file is; null: evaluations do not know which rows were learned. */
  readonly rowSketch: Uint8Array | null;
  /** Of forecasts: of each member one a series; null: members' weights serve all. */
  readonly seriesWeights: readonly Float64Array[] | null;
  readonly encoders: readonly (readonly FeatureBins[])[];
  readonly members: readonly (Omit<ModelMember, "file"> & { readonly packed: Uint8Array })[];
}

export interface WrittenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** All files; `model.json` is the last, so that a directory which has it is whole. */
export function writeModel(parts: ModelParts): WrittenFile[] {
  const encoderFiles = parts.encoders.map((bins, index) => ({
    path: `encoder-${index}.dsm`,
    bytes: packModel(saveBins(bins)),
  }));
  const memberFiles = parts.members.map((member, index) => ({
    path: `member-${String(index).padStart(3, "0")}.dsm`,
    bytes: member.packed,
  }));
  const frameFiles = parts.frame ? [{ path: FRAME_PATH, bytes: packModel(parts.frame) }] : [];
  const referenceFiles = parts.reference
    ? [{ path: REFERENCE_PATH, bytes: packDriftReference(parts.reference) }]
    : [];
  const { rowSketch, seriesWeights: weights } = parts;
  const sketchFiles = rowSketch ? [{ path: ROW_SKETCH_PATH, bytes: rowSketch }] : [];
  const weightFiles = weights
    ? [{ path: SERIES_WEIGHTS_PATH, bytes: packModel(saveSeriesWeights(weights)) }]
    : [];
  const files = [
    ...encoderFiles,
    ...frameFiles,
    ...weightFiles,
    ...referenceFiles,
    ...sketchFiles,
    ...memberFiles,
  ];
  const document: ModelDocument = {
    format: MODEL_FORMAT,
    version: MODEL_VERSION,
    ...parts.document,
    members: parts.members.map(({ packed: _, ...member }, index) => ({
      ...member,
      file: memberFiles[index].path,
    })),
    encoders: encoderFiles.map(({ path }) => ({ file: path })),
    ...(parts.frame ? { frame: { file: FRAME_PATH } } : {}),
    ...(parts.reference ? { reference: { file: REFERENCE_PATH } } : {}),
    ...(rowSketch ? { rowSketch: { file: ROW_SKETCH_PATH } } : {}),
    ...(weights ? { seriesWeights: { file: SERIES_WEIGHTS_PATH } } : {}),
    files: files.map(({ path, bytes }) => ({ path, bytes: bytes.length, sha256: sha256(bytes) })),
  };
  const json = new TextEncoder().encode(`${JSON.stringify(document, null, 1)}\n`);
  return [...files, { path: DOCUMENT_PATH, bytes: json }];
}
