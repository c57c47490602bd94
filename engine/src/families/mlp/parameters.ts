/** The parameters of the mlp family: their ranges, what is searched, and the strong default. */

import type { NetworkWork } from "../../compute/gpu/device-settings.ts";
import type { Parameters, SearchSpace } from "../../search/space.ts";
import { typeOf } from "../../tasks/index.ts";
import type { DataShape, NetworkData } from "../family.ts";
import { ACTIVATIONS, type Activation, EMBEDDED_WIDTH, PERIODIC_WIDTH } from "./layout.ts";

const NUMERIC_EMBEDDINGS = ["periodic", "piecewise", "none"] as const;
export type NumericEmbedding = (typeof NUMERIC_EMBEDDINGS)[number];

export interface MlpParameters {
  /** Passes over the training rows; the learning rate falls to 0 at the end of the last. */
  readonly epochs: number;
  /** Epochs after which a fit without validation rows ends; 0 = all. */
  readonly stopEpoch: number;
  readonly batchSize: number;
  readonly learningRate: number;
  /** Share of the weights that is taken off a step, in units of the learning rate. */
  readonly weightDecay: number;
  /** Share of hidden units that is dropped in the first half of the training; less from there on. */
  readonly dropout: number;
  readonly hiddenLayers: number;
  readonly hiddenWidth: number;
  readonly activation: Activation;
  readonly numericEmbedding: NumericEmbedding;
  /** Deviation of the frequencies that training begins with, in turns per quartile range. */
  readonly periodicSigma: number;
  /** Share of a label that is spread over all classes. */
  readonly labelSmoothing: number;
  /** Categoricals with more categories than this are embedded, or known by statistics of the labels. */
  readonly oneHotMaxCategories: number;
  /** Rows that a category has in the mean where categoricals are embedded. */
  readonly embeddingMinRows: number;
}

/** Everything `fit` understands. */
export function mlpParameters(): SearchSpace {
  return {
    epochs: { type: "int", low: 1, high: 2000, log: true },
    stop_epoch: { type: "int", low: 0, high: 2000 },
    batch_size: { type: "int", low: 8, high: 4096, log: true },
    learning_rate: { type: "float", low: 1e-5, high: 1, log: true },
    weight_decay: { type: "float", low: 0, high: 1 },
    dropout: { type: "float", low: 0, high: 0.9 },
    hidden_layers: { type: "int", low: 1, high: 8 },
    hidden_width: { type: "int", low: 8, high: 1024 },
    activation: { type: "categorical", choices: ACTIVATIONS },
    numeric_embedding: { type: "categorical", choices: NUMERIC_EMBEDDINGS },
    periodic_sigma: {
      type: "float",
      low: 0.001,
      high: 20,
      log: true,
      when: { parameter: "numeric_embedding", values: ["periodic"] },
    },
    label_smoothing: { type: "float", low: 0, high: 0.5 },
    one_hot_max_categories: { type: "int", low: 1, high: 1000 },
    embedding_min_rows: { type: "int", low: 0, high: 100_000_000 },
  };
}

/** What changes the fit on data of this shape. */
export function mlpSearchSpace(shape: DataShape): SearchSpace {
  const numeric = shape.features.some(({ kind }) => kind === "numeric");
  const epochs = epochsFor(shape);
  return {
    epochs: { type: "int", low: Math.ceil(epochs / 2), high: 4 * epochs, log: true },
    learning_rate: { type: "float", low: 0.005, high: 0.2, log: true },
    weight_decay: { type: "float", low: 1e-3, high: 0.2, log: true },
    dropout: { type: "float", low: 0, high: 0.5 },
    hidden_layers: { type: "int", low: 1, high: 4 },
    hidden_width: { type: "categorical", choices: [64, 128, 256] },
    activation: { type: "categorical", choices: ACTIVATIONS },
    ...(typeOf(shape.task).target === "class" && {
      label_smoothing: { type: "float", low: 0, high: 0.1 },
    }),
    ...(numeric && {
      numeric_embedding: { type: "categorical", choices: NUMERIC_EMBEDDINGS },
      periodic_sigma: {
        type: "float",
        low: 0.03,
        high: 3,
        log: true,
        when: { parameter: "numeric_embedding", values: ["periodic"] },
      },
    }),
  };
}

/** Of all epochs together, so that a default fit costs some 2 s; a search tries longer ones. */
const MULTIPLICATIONS = 2.5e10;
const FEWEST_EPOCHS = 10;
const MOST_EPOCHS = 96;
const WIDTH = 128;
const LAYERS = 3;
const ONE_HOT_MAX = 8;
const EMBEDDING_MIN_ROWS = 100;

function countInputs(features: DataShape["features"]): number {
  let inputs = 0;
  for (const feature of features) {
    if (feature.kind === "numeric") inputs += PERIODIC_WIDTH;
    else {
      const { length } = feature.categories;
      inputs += length > ONE_HOT_MAX ? EMBEDDED_WIDTH : length;
    }
  }
  return inputs;
}

function epochsFor({ rows, features }: DataShape): number {
  // Forward, and twice as much back.
  const ofRow = 3 * WIDTH * (countInputs(features) + (LAYERS - 1) * WIDTH);
  const epochs = Math.round(MULTIPLICATIONS / ofRow / Math.max(1, rows));
  return Math.max(FEWEST_EPOCHS, Math.min(MOST_EPOCHS, epochs));
}

/** Multiplications of a fit, forward and back, about. */
export function mlpWork({ rows, features }: NetworkData, parameters: Parameters): NetworkWork {
  const { hiddenLayers, hiddenWidth, batchSize, epochs } = readParameters(parameters);
  const ofRow = 3 * hiddenWidth * (countInputs(features) + (hiddenLayers - 1) * hiddenWidth);
  return { step: ofRow * Math.min(batchSize, rows), all: ofRow * rows * epochs };
}

export function mlpDefaults(shape: DataShape): Parameters {
  const { rows, task } = shape;
  const isClass = typeOf(task).target === "class";
  return {
    epochs: epochsFor(shape),
    stop_epoch: 0,
    batch_size: rows < 2000 ? 64 : rows < 20_000 ? 128 : 256,
    learning_rate: isClass ? 0.03 : 0.06,
    weight_decay: 0.02,
    dropout: 0.15,
    hidden_layers: LAYERS,
    hidden_width: WIDTH,
    activation: isClass ? "selu" : "mish",
    numeric_embedding: "periodic",
    periodic_sigma: 0.1,
    label_smoothing: 0,
    one_hot_max_categories: ONE_HOT_MAX,
    embedding_min_rows: EMBEDDING_MIN_ROWS,
  };
}

/** Reads parameters that the trainer has checked against `mlpParameters`. */
export function readParameters(parameters: Parameters): MlpParameters {
  const number = (name: string, otherwise: number): number => {
    const value = parameters[name];
    return typeof value === "number" ? value : otherwise;
  };
  const activation = ACTIVATIONS.find((name) => name === parameters["activation"]);
  const embedding = NUMERIC_EMBEDDINGS.find((name) => name === parameters["numeric_embedding"]);
  return {
    epochs: number("epochs", 64),
    stopEpoch: number("stop_epoch", 0),
    batchSize: number("batch_size", 128),
    learningRate: number("learning_rate", 0.03),
    weightDecay: number("weight_decay", 0.02),
    dropout: number("dropout", 0.15),
    hiddenLayers: number("hidden_layers", 3),
    hiddenWidth: Math.ceil(number("hidden_width", 128) / 8) * 8,
    activation: activation ?? "mish",
    numericEmbedding: embedding ?? "periodic",
    periodicSigma: number("periodic_sigma", 0.1),
    labelSmoothing: number("label_smoothing", 0),
    oneHotMaxCategories: number("one_hot_max_categories", ONE_HOT_MAX),
    embeddingMinRows: number("embedding_min_rows", EMBEDDING_MIN_ROWS),
  };
}
