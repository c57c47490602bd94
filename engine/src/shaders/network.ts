/**
 * What the shaders of a network share: the sizes of a layer, the steps of an epoch, dropout and activations,
 * as `kernels/assembly/networks/activations.ts` defines them. Sums are f32 in another order than the CPU's, so results are
 * near the CPU's and not its bits; what WGSL leaves to drivers (e^x, cosines) is computed here.
 *
 * A batch's rows are dealt to parts: whatever sums over rows (gradients) sums those of a part, and the
 * optimiser adds the parts up in their order. Without float atomics, equal inputs have equal bits on one device.
 */

/** Hidden layers at most: a step has room for so many keys of dropout. */
export const MOST_HIDDEN = 8;

/** Words of a step: as `Step` below. */
export const STEP_WORDS = 8 + MOST_HIDDEN;

/** What is the same in all layers of a network, and its tables. */
export const NETWORK_WORDS = [
  /** Of an encoded row. */
  "rowWords",
  "numbers",
  "frequencies",
  "pieces",
  /** What a row's inputs are made of. */
  "units",
  "inputWidth",
  "outputs",
  "outputWidth",
  "targetWidth",
  /** Rows of all tables of embedded categories. */
  "tableRows",
] as const;

/** Words of the uniform `dims`, in their order. */
export const DIMS = [
  /** Rows of a batch, and of all batches together. */
  "batch",
  "total",
  ...NETWORK_WORDS,
  /** Of the layer: columns read and given, and where its tensors begin among all parameters. */
  "reads",
  "width",
  "weights",
  "biases",
  "alpha",
  "layer",
  /** Numbers of all parameters. */
  "size",
  "partRows",
  "parts",
  "scale",
  /** f32, as no other. */
  "factor",
  /** 1: nothing is dropped. */
  "validates",
] as const;

export type Dims = Readonly<Record<(typeof DIMS)[number], number>>;

const DIMS_WGSL = /* wgsl */ `
struct Dims {
  ${DIMS.map((name) => `${name}: ${name === "factor" ? "f32" : "u32"},`).join("\n  ")}
}
@group(0) @binding(0) var<uniform> dims: Dims;
`;

/** What one step of the optimiser goes by. */
const STEP_WGSL = /* wgsl */ `
struct Step {
  /** Units are kept whose hash is below; 0: all. */
  keepBelow: u32,
  /** 1 / share kept. */
  inverse: f32,
  rate: f32,
  correction1: f32,
  correction2: f32,
  /** Share of a parameter that is taken off, per unit of its learning rate. */
  decay: f32,
  unused0: u32,
  unused1: u32,
  keys: array<u32, ${MOST_HIDDEN}>,
}
`;

/** Declares storage buffers as bindings 1, 2, … behind `dims`; names with `=` can be written. */
export function header(...buffers: readonly (readonly [name: string, type: string])[]): string {
  const lines = buffers.map(([name, type], i) => {
    const isWritten = name.startsWith("=");
    const access = isWritten ? "read_write" : "read";
    return `@group(0) @binding(${i + 1}) var<storage, ${access}> ${isWritten ? name.slice(1) : name}: ${type};`;
  });
  const step = buffers.some(([, type]) => type.includes("Step")) ? STEP_WGSL : "";
  return `${DIMS_WGSL}${step}${lines.join("\n")}\n`;
}

/** The rows of the batch that the step in `state` is at. */
export const ROWS_HERE = /* wgsl */ `
fn rowsHere() -> u32 { return min(dims.batch, dims.total - state[0] * dims.batch); }
`;

/** Rows of a part of the batch, from x to below y. */
export const PART = /* wgsl */ `
${ROWS_HERE}
fn partOf(part: u32) -> vec2<u32> {
  let rows = rowsHere();
  return vec2<u32>(min(rows, part * dims.partRows), min(rows, (part + 1u) * dims.partRows));
}
`;

/** As `mask4` of the kernels. Needs `steps` and `state`. */
export const MASK = /* wgsl */ `
fn mask(element: u32) -> f32 {
  if (dims.validates != 0u) { return 1.0; }
  let keepBelow = steps[state[0]].keepBelow;
  if (keepBelow == 0u) { return 1.0; }
  var x = element * 0x9e3779b1u + steps[state[0]].keys[dims.layer];
  x ^= x >> 16u;
  x *= 0x7feb352du;
  x ^= x >> 15u;
  x *= 0x846ca68bu;
  x ^= x >> 16u;
  return select(0.0, steps[state[0]].inverse, x < keepBelow);
}
`;

/** e^x by the kernels' reduction and series: what WGSL promises of its own grows with x. */
export const EXP = /* wgsl */ `
fn exponential(x: f32) -> f32 {
  let within = clamp(x, -87.0, 88.0);
  let k = round(within * 1.4426950408889634);
  let r = (within - k * 0.693359375) + k * 2.1219444e-4;
  var p = 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * bitcast<f32>((i32(k) + 127) << 23u);
}
`;

/** Klambauer et al., NeurIPS 2017, and Misra, BMVC 2020, by number: those of `ACTIVATIONS`. */
export const SELU = 0;

/** The activation φ and its slope. @param kind 0 = SELU, 1 = mish */
export const activation = (kind: number): string =>
  EXP +
  (kind === SELU
    ? /* wgsl */ `
fn bent(x: f32) -> f32 {
  return 1.0507009873554805 * select(1.6732632423543772 * (exponential(min(x, 0.0)) - 1.0), x, x > 0.0);
}
fn slope(x: f32) -> f32 {
  return 1.0507009873554805 * select(1.6732632423543772 * exponential(min(x, 0.0)), 1.0, x > 0.0);
}
`
    : /* wgsl */ `
fn bent(x: f32) -> f32 {
  let e = exponential(min(x, 20.0));
  let w = e * (e + 2.0);
  return x * (w / (w + 2.0));
}
fn slope(x: f32) -> f32 {
  let e = exponential(min(x, 20.0));
  let w = e * (e + 2.0);
  let under = w + 2.0;
  // Twice one under another: the square of either overflows.
  let curved = w / under + x * (4.0 * e / under) * ((e + 1.0) / under);
  return select(curved, 1.0, x > 20.0);
}
`);

/** Threads beside and one behind another of workgroups that sum columns over rows. */
export const LANES = 16;
