/** What a network's shaders do on the way back beside products: the loss, activations, and sums over rows. */

import { activation, EXP, header, LANES, MASK, PART, ROWS_HERE } from "./network.ts";

export const LOSSES = [
  "squared_error",
  "pinball",
  "binary_log_loss",
  "multinomial_log_loss",
] as const;
export type NetworkLoss = (typeof LOSSES)[number];

/** Of row `at / outputWidth`, whose target begins at `labels`: the loss by its outputs, as `mlp/loss.ts`. */
const GRADIENTS: Readonly<Record<NetworkLoss, string>> = {
  squared_error: "g[at] = (outputs[at] - target_[labels]) * share;",
  pinball: /* wgsl */ `
    for (var k = 0u; k < dims.outputs; k++) {
      let error = target_[labels] - outputs[at + k];
      g[at + k] = select(1.0 - levels[k], -levels[k], error >= 0.0) * share;
    }`,
  binary_log_loss: /* wgsl */ `
    let margin = outputs[at];
    let small = exponential(-abs(margin));
    let likely = select(small, 1.0, margin >= 0.0) / (1.0 + small);
    g[at] = (likely - target_[labels]) * share;`,
  multinomial_log_loss: /* wgsl */ `
    var largest = outputs[at];
    for (var k = 1u; k < dims.outputs; k++) { largest = max(largest, outputs[at + k]); }
    var sum = 0.0;
    for (var k = 0u; k < dims.outputs; k++) { sum += exponential(outputs[at + k] - largest); }
    for (var k = 0u; k < dims.outputs; k++) {
      g[at + k] = (exponential(outputs[at + k] - largest) / sum - target_[labels + k]) * share;
    }`,
};

/** Rows of a workgroup of `lossShader`. */
export const LOSS_ROWS = 64;

/** Workgroups: x the batch's rows. The mean of weighted losses by the outputs; 0 in columns that fill up. */
export const lossShader = (loss: NetworkLoss): string => /* wgsl */ `
${header(
  ["state", "array<u32>"],
  ["order", "array<u32>"],
  ["target_", "array<f32>"],
  ["weights", "array<f32>"],
  ["outputs", "array<f32>"],
  ["=g", "array<f32>"],
  ...(loss === "pinball" ? ([["levels", "array<f32>"]] as const) : []),
)}
${ROWS_HERE}
${loss.endsWith("log_loss") ? EXP : ""}
@compute @workgroup_size(${LOSS_ROWS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let rows = rowsHere();
  if (thread.x >= rows) { return; }
  let row = order[state[0] * dims.batch + thread.x];
  let at = thread.x * dims.outputWidth;
  let labels = row * dims.targetWidth;
  let share = weights[row] / f32(rows);
  ${GRADIENTS[loss]}
  for (var k = dims.outputs; k < dims.outputWidth; k++) { g[at + k] = 0.0; }
}
`;

/**
 * Sums of columns over the rows of a part.
 *
 * @param values how many sums a column has
 * @param each WGSL of row i and column j, at `at`, that adds to `own`
 * @param store WGSL that writes `all[…]` of column j
 */
function columnSums(
  values: number,
  head: string,
  width: string,
  each: string,
  store: string,
): string {
  const type = values === 1 ? "f32" : "vec2<f32>";
  return /* wgsl */ `
${head}
${PART}
var<workgroup> lanes: array<${type}, ${LANES * LANES}>;

@compute @workgroup_size(${LANES}, ${LANES})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_id) own_: vec3<u32>,
) {
  let part = partOf(workgroup.y);
  let j = workgroup.x * ${LANES}u + own_.x;
  let width = ${width};
  var own = ${type}();
  if (j < width) {
    for (var i = part.x + own_.y; i < part.y; i += ${LANES}u) {
      let at = i * width + j;
      ${each}
    }
  }
  lanes[own_.y * ${LANES}u + own_.x] = own;
  workgroupBarrier();
  if (own_.y != 0u || j >= width) { return; }
  var sum = ${type}();
  for (var lane = 0u; lane < ${LANES}u; lane++) { sum += lanes[lane * ${LANES}u + own_.x]; }
  let start = workgroup.y * dims.size;
  ${store}
}
`;
}

/** Workgroups of the three below: x the columns, \`LANES\` each; y the parts. */

/** The gradient of the last layer's biases. */
export const OUTPUT_BIASES = columnSums(
  1,
  header(["state", "array<u32>"], ["g", "array<f32>"], ["=gradients", "array<f32>"]),
  "dims.width",
  "own += g[at];",
  "gradients[start + dims.biases + j] = sum;",
);

/** From the loss by what an activation gave to that by what it read, in `g`; gradients of biases and α. */
export const activateBack = (kind: number): string =>
  columnSums(
    2,
    header(
      ["state", "array<u32>"],
      ["steps", "array<Step>"],
      ["parameters", "array<f32>"],
      ["sums", "array<f32>"],
      ["=g", "array<f32>"],
      ["=gradients", "array<f32>"],
    ) +
      MASK +
      activation(kind),
    "dims.width",
    /* wgsl */ `
      let x = sums[at];
      let gradient = g[at] * mask(at);
      let steeper = parameters[dims.alpha + j] * (slope(x) - 1.0);
      g[at] = gradient * (1.0 + steeper);
      own += vec2<f32>(g[at], gradient * (bent(x) - x));`,
    /* wgsl */ `
      gradients[start + dims.biases + j] = sum.x;
      gradients[start + dims.alpha + j] = sum.y;`,
  );

/** From the loss by scaled inputs to that by the inputs, in `g`; the gradient of the scales. */
export const SCALE_BACK = columnSums(
  1,
  header(
    ["state", "array<u32>"],
    ["parameters", "array<f32>"],
    ["embedded", "array<f32>"],
    ["=g", "array<f32>"],
    ["=gradients", "array<f32>"],
  ),
  "dims.inputWidth",
  /* wgsl */ `
      own += g[at] * embedded[at];
      g[at] *= parameters[dims.scale + j];`,
  "gradients[start + dims.scale + j] = sum;",
);

/** Four parameters a thread. */
export const ADAM_THREADS = 64;

const SUM_PARTS = /* wgsl */ `
  var gradient = vec4<f32>();
  for (var part = 0u; part < dims.parts; part++) { gradient += gradients[part * dims.size / 4u + at]; }
`;

/**
 * A step of Adam with decoupled decay, as `adamStep` of the kernels; workgroups: x, four parameters a thread.
 *
 * @param beta1 and beta2: of the moments
 */
export const adamShader = (beta1: number, beta2: number): string => /* wgsl */ `
${header(
  ["state", "array<u32>"],
  ["steps", "array<Step>"],
  ["gradients", "array<vec4<f32>>"],
  // Of four parameters: their learning rate beside the step's, and 1 where they decay.
  ["shares", "array<vec2<f32>>"],
  ["=parameters", "array<vec4<f32>>"],
  ["=first", "array<vec4<f32>>"],
  ["=second", "array<vec4<f32>>"],
)}
@compute @workgroup_size(${ADAM_THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let at = thread.x;
  if (at >= dims.size / 4u) { return; }
  ${SUM_PARTS}
  let rate = steps[state[0]].rate * shares[at].x;
  let m = ${beta1} * first[at] + (1.0 - ${beta1}) * gradient;
  let v = ${beta2} * second[at] + (1.0 - ${beta2}) * (gradient * gradient);
  first[at] = m;
  second[at] = v;
  let size = sqrt(v * steps[state[0]].correction2) + vec4<f32>(1e-8);
  let kept = 1.0 - rate * shares[at].y * steps[state[0]].decay;
  parameters[at] = parameters[at] * kept - (rate * steps[state[0]].correction1) * m / size;
}
`;

/** The parts' sums in place of the first part: what a step would go by. Workgroups as Adam's. */
export const SUM_GRADIENTS = /* wgsl */ `
${header(["=gradients", "array<vec4<f32>>"])}
@compute @workgroup_size(${ADAM_THREADS})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let at = thread.x;
  if (at >= dims.size / 4u) { return; }
  ${SUM_PARTS}
  gradients[at] = gradient;
}
`;

/** One workgroup: the next step is due, and one more was done. */
export const ADVANCE = /* wgsl */ `
@group(0) @binding(0) var<storage, read_write> state: array<u32>;
@compute @workgroup_size(1)
fn main() {
  state[0] += 1u;
  state[1] += 1u;
}
`;
