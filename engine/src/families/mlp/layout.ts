/** What a network is made of: its shape, and where its tensors lie among all its parameters. */

export const ACTIVATIONS = ["selu", "mish"] as const;
export type Activation = (typeof ACTIVATIONS)[number];

/** Rows that run through a network together where nothing else is said. */
export const BATCH_ROWS = 256;
/** Columns of an embedded category. */
export const EMBEDDED_WIDTH = 8;
/** Combinations of cosines of a number with a periodic embedding. */
export const PERIODIC_COMBINATIONS = 3;
/** Its columns, and those of a piecewise-linear one, with the number itself. */
export const PERIODIC_WIDTH = 1 + PERIODIC_COMBINATIONS;

/** Columns of a number. */
export const numberWidth = ({
  frequencies,
  pieces,
}: Pick<NetworkShape, "frequencies" | "pieces">): number =>
  frequencies > 0 || pieces > 0 ? PERIODIC_WIDTH : 1;

export interface NetworkShape {
  readonly numbers: number;
  /** Of the periodic embedding of each number; 0: numbers are read as they are. */
  readonly frequencies: number;
  /** Of the piecewise-linear embedding of each number, where there are no frequencies; 0: none. */
  readonly pieces: number;
  /** Columns of each one-hot term. */
  readonly oneHot: readonly number[];
  /** Categories of each embedded term. */
  readonly embedded: readonly number[];
  /** Columns of statistics of categories. */
  readonly statistics: number;
  /** Of each hidden layer, multiples of 8. */
  readonly widths: readonly number[];
  readonly outputs: number;
  readonly activation: Activation;
}

/** What a tensor is, which decides how it begins and how fast it learns. */
export type TensorRole =
  | "frequencies"
  | "pieces"
  | "embedding"
  | "scale"
  | "weights"
  | "biases"
  | "activation"
  | "output_weights"
  | "output_biases";

export interface NetworkTensor {
  readonly role: TensorRole;
  /** Among all parameters, in numbers; a multiple of 4. */
  readonly start: number;
  readonly length: number;
}

export interface NetworkLayout {
  readonly tensors: readonly NetworkTensor[];
  /** Numbers of all tensors. */
  readonly size: number;
  /** Columns of the embedded inputs, and of them those that are not there to fill a vector. */
  readonly inputWidth: number;
  readonly inputs: number;
}

export const upTo = (multiple: number, value: number): number =>
  Math.ceil(value / multiple) * multiple;

export function layoutOf(shape: NetworkShape): NetworkLayout {
  const { numbers, frequencies, pieces, oneHot, embedded, statistics, widths, outputs } = shape;
  const tensors: NetworkTensor[] = [];
  let size = 0;
  const add = (role: TensorRole, length: number): void => {
    tensors.push({ role, start: size, length });
    size += upTo(4, length);
  };
  if (frequencies > 0)
    add(
      "frequencies",
      numbers * ((2 + PERIODIC_COMBINATIONS) * frequencies + PERIODIC_COMBINATIONS),
    );
  if (pieces > 0) add("pieces", numbers * (pieces + 1) * PERIODIC_WIDTH);
  for (const categories of embedded) add("embedding", (categories + 1) * EMBEDDED_WIDTH);
  const inputs =
    numbers * numberWidth(shape) +
    oneHot.reduce((sum, columns) => sum + columns, 0) +
    embedded.length * EMBEDDED_WIDTH +
    statistics;
  const inputWidth = upTo(8, Math.max(1, inputs));
  add("scale", inputWidth);
  let before = inputWidth;
  for (const width of widths) {
    add("weights", before * width);
    add("biases", width);
    add("activation", width);
    before = width;
  }
  const outputWidth = upTo(8, outputs);
  add("output_weights", before * outputWidth);
  add("output_biases", outputWidth);
  return { tensors, size, inputWidth, inputs };
}
