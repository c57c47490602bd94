/**
 * Inputs of a network on a device: rows of a batch are read from their encoded form, embedded and scaled; and the
 * way back to what they are embedded by. As `kernels/assembly/networks/periodic.ts`, `pieces.ts` and
 * `mlp/input-embedding.ts` have them.
 *
 * An encoded row is words: numbers (f32), their places (f32, with pieces), codes of one-hot terms and of embedded
 * ones (i32), statistics (f32). Its units are the numbers, then every other column of the embedded inputs.
 */

import { header, LANES, PART, ROWS_HERE } from "./network.ts";

/** What a unit behind the numbers is, in a table of four words a unit: kind, word of the row, and two more. */
export const UNIT_NONE = 0;
/** 1 where the word is the third. */
export const UNIT_MARK = 1;
/** Parameter number third + 8 × the word + fourth. */
export const UNIT_LEARNED = 2;
export const UNIT_NUMBER = 3;
export const UNIT_WORDS = 4;

/** Columns of a learned vector. */
const LEARNED_WIDTH = 8;

export type Embedding = "none" | "periodic" | "pieces";

/** sin(π r) and cos(π r) of r in [-½, ½]: of WGSL's own, no more than 2⁻¹¹ is promised. */
const WAVES = /* wgsl */ `
fn sinPi(r: f32) -> f32 {
  let x = r * 3.14159265358979;
  let z = x * x;
  var p = -1.0 / 39916800.0;
  p = p * z + 1.0 / 362880.0;
  p = p * z - 1.0 / 5040.0;
  p = p * z + 1.0 / 120.0;
  p = p * z - 1.0 / 6.0;
  return x + (x * z) * p;
}
fn cosPi(r: f32) -> f32 {
  let x = r * 3.14159265358979;
  let z = x * x;
  var p = 1.0 / 479001600.0;
  p = p * z - 1.0 / 3628800.0;
  p = p * z + 1.0 / 40320.0;
  p = p * z - 1.0 / 720.0;
  p = p * z + 1.0 / 24.0;
  p = p * z - 0.5;
  return 1.0 + z * p;
}
/** Of a turn: what is left of it, in [-½, ½]. */
fn turnOf(v: f32) -> f32 { return v - round(v); }
`;

const WRITE_NUMBER: Readonly<Record<Embedding, string>> = {
  none: "put(row, unit, bitcast<f32>(rows_[start + unit]));",
  periodic: /* wgsl */ `
    let x = bitcast<f32>(rows_[start + unit]);
    let each = dims.numbers * dims.frequencies;
    let own = unit * dims.frequencies;
    let bias = 5u * each + 3u * unit;
    var s = vec3<f32>(parameters[bias], parameters[bias + 1u], parameters[bias + 2u]);
    for (var h = own; h < own + dims.frequencies; h++) {
      let sine = sinPi(turnOf(parameters[h] * x + parameters[each + h]));
      let wave = 1.0 - 2.0 * sine * sine;
      let m = 2u * each + 3u * h;
      s += wave * vec3<f32>(parameters[m], parameters[m + 1u], parameters[m + 2u]);
    }
    put(row, 4u * unit, x);
    put(row, 4u * unit + 1u, s.x);
    put(row, 4u * unit + 2u, s.y);
    put(row, 4u * unit + 3u, s.z);`,
  pieces: /* wgsl */ `
    let place = bitcast<f32>(rows_[start + dims.numbers + unit]);
    let knots = 4u * unit * (dims.pieces + 1u);
    var s = vec3<f32>(parameters[knots + 1u], parameters[knots + 2u], parameters[knots + 3u]);
    for (var p = 0u; p < dims.pieces; p++) {
      let m = knots + 4u * (p + 1u);
      let rise = vec3<f32>(parameters[m + 1u], parameters[m + 2u], parameters[m + 3u]);
      s += clamp(place - f32(p), 0.0, 1.0) * rise;
    }
    put(row, 4u * unit, bitcast<f32>(rows_[start + unit]));
    put(row, 4u * unit + 1u, s.x);
    put(row, 4u * unit + 2u, s.y);
    put(row, 4u * unit + 3u, s.z);`,
};

/** Units and rows of a workgroup of `embedShader`. */
export const EMBED_SIDE = [32, 4] as const;

/** Workgroups: x units, y rows of the batch. The embedded inputs, and those scaled. */
export const embedShader = (embedding: Embedding): string => /* wgsl */ `
${header(
  ["state", "array<u32>"],
  ["order", "array<u32>"],
  ["rows_", "array<u32>"],
  ["units", "array<vec4<u32>>"],
  ["parameters", "array<f32>"],
  ["=embedded", "array<f32>"],
  ["=given", "array<f32>"],
)}
${ROWS_HERE}
${embedding === "periodic" ? WAVES : ""}
fn put(row: u32, column: u32, value: f32) {
  let at = row * dims.inputWidth + column;
  embedded[at] = value;
  given[at] = value * parameters[dims.scale + column];
}

@compute @workgroup_size(${EMBED_SIDE[0]}, ${EMBED_SIDE[1]})
fn main(@builtin(global_invocation_id) thread: vec3<u32>) {
  let unit = thread.x;
  let row = thread.y;
  if (unit >= dims.units || row >= rowsHere()) { return; }
  let start = order[state[0] * dims.batch + row] * dims.rowWords;
  if (unit < dims.numbers) {
    ${WRITE_NUMBER[embedding]}
    return;
  }
  let other = units[unit - dims.numbers];
  let word = rows_[start + other.y];
  var value = 0.0;
  switch (other.x) {
    case ${UNIT_MARK}u: { value = select(0.0, 1.0, word == other.z); }
    case ${UNIT_LEARNED}u: { value = parameters[other.z + ${LEARNED_WIDTH}u * word + other.w]; }
    case ${UNIT_NUMBER}u: { value = bitcast<f32>(word); }
    default: {}
  }
  put(row, dims.inputWidth + unit - dims.units, value);
}
`;

const BACK_HEAD = header(
  ["state", "array<u32>"],
  ["order", "array<u32>"],
  ["rows_", "array<u32>"],
  ["g", "array<f32>"],
  ["=gradients", "array<f32>"],
);

/** Workgroups: x numbers, y parts. The gradients of knots: a sum over rows of their share of each rise. */
export const PIECES_BACK = /* wgsl */ `
${BACK_HEAD}
${PART}
var<workgroup> lanes: array<vec3<f32>, ${LANES * LANES}>;

@compute @workgroup_size(${LANES}, ${LANES})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_id) own: vec3<u32>,
) {
  let part = partOf(workgroup.y);
  let number = workgroup.x;
  for (var first = 0u; first <= dims.pieces; first += ${LANES}u) {
    let knot = first + own.x;
    var sum = vec3<f32>();
    for (var i = part.x + own.y; i < part.y; i += ${LANES}u) {
      let row = order[state[0] * dims.batch + i];
      let place = bitcast<f32>(rows_[row * dims.rowWords + dims.numbers + number]);
      let at = i * dims.inputWidth + 4u * number;
      let share = select(clamp(place - f32(knot) + 1.0, 0.0, 1.0), 1.0, knot == 0u);
      sum += share * vec3<f32>(g[at + 1u], g[at + 2u], g[at + 3u]);
    }
    lanes[own.y * ${LANES}u + own.x] = sum;
    workgroupBarrier();
    if (own.y == 0u && knot <= dims.pieces) {
      var all = vec3<f32>();
      for (var lane = 0u; lane < ${LANES}u; lane++) { all += lanes[lane * ${LANES}u + own.x]; }
      let to = workgroup.y * dims.size + 4u * (number * (dims.pieces + 1u) + knot);
      gradients[to] = 0.0;
      gradients[to + 1u] = all.x;
      gradients[to + 2u] = all.y;
      gradients[to + 3u] = all.z;
    }
    workgroupBarrier();
  }
}
`;

/** Workgroups likewise. The gradients of frequencies, phases, combinations and their biases. */
export const PERIODIC_BACK = /* wgsl */ `
${header(
  ["state", "array<u32>"],
  ["order", "array<u32>"],
  ["rows_", "array<u32>"],
  ["parameters", "array<f32>"],
  ["g", "array<f32>"],
  ["=gradients", "array<f32>"],
)}
${PART}
${WAVES}
/** By the combinations; by frequency and phase; of biases. */
var<workgroup> mixed: array<vec3<f32>, ${LANES * LANES}>;
var<workgroup> turned: array<vec2<f32>, ${LANES * LANES}>;
var<workgroup> plain: array<vec3<f32>, ${LANES * LANES}>;

@compute @workgroup_size(${LANES}, ${LANES})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_id) own: vec3<u32>,
) {
  let part = partOf(workgroup.y);
  let number = workgroup.x;
  let each = dims.numbers * dims.frequencies;
  let start = workgroup.y * dims.size;
  let lane = own.y * ${LANES}u + own.x;
  for (var first = 0u; first < dims.frequencies; first += ${LANES}u) {
    let h = number * dims.frequencies + min(first + own.x, dims.frequencies - 1u);
    let m = 2u * each + 3u * h;
    let mix = vec3<f32>(parameters[m], parameters[m + 1u], parameters[m + 2u]);
    let w = parameters[h];
    let phase = parameters[each + h];
    var byMix = vec3<f32>();
    var byTurn = vec2<f32>();
    var all = vec3<f32>();
    for (var i = part.x + own.y; i < part.y; i += ${LANES}u) {
      let x = bitcast<f32>(rows_[order[state[0] * dims.batch + i] * dims.rowWords + number]);
      let at = i * dims.inputWidth + 4u * number;
      let given = vec3<f32>(g[at + 1u], g[at + 2u], g[at + 3u]);
      let turn = turnOf(w * x + phase);
      let sine = sinPi(turn);
      byMix += (1.0 - 2.0 * sine * sine) * given;
      // d cos(2πv) / dv = -4π sin(πv) cos(πv).
      let dv = dot(given, mix) * (-12.566370614359172 * sine * cosPi(turn));
      byTurn += vec2<f32>(dv * x, dv);
      all += given;
    }
    mixed[lane] = byMix;
    turned[lane] = byTurn;
    plain[lane] = all;
    workgroupBarrier();
    if (own.y == 0u && first + own.x < dims.frequencies) {
      byMix = vec3<f32>();
      byTurn = vec2<f32>();
      all = vec3<f32>();
      for (var l = own.x; l < ${LANES * LANES}u; l += ${LANES}u) {
        byMix += mixed[l];
        byTurn += turned[l];
        all += plain[l];
      }
      gradients[start + h] = byTurn.x;
      gradients[start + each + h] = byTurn.y;
      gradients[start + m] = byMix.x;
      gradients[start + m + 1u] = byMix.y;
      gradients[start + m + 2u] = byMix.z;
      if (first + own.x == 0u) {
        let bias = start + 5u * each + 3u * number;
        gradients[bias] = all.x;
        gradients[bias + 1u] = all.y;
        gradients[bias + 2u] = all.z;
      }
    }
    workgroupBarrier();
  }
}
`;

export const TABLE_THREADS = 64;

/**
 * Workgroups: x rows of tables, y parts. A table's row sums what came back to the rows that read it: each looks
 * through the part, since there are no atomic sums of f32.
 */
export const TABLES_BACK = /* wgsl */ `
${header(
  ["state", "array<u32>"],
  ["order", "array<u32>"],
  ["rows_", "array<u32>"],
  // Word of the encoded row, code, first parameter, first column.
  ["tables", "array<vec4<u32>>"],
  ["g", "array<f32>"],
  ["=gradients", "array<f32>"],
)}
${PART}
@compute @workgroup_size(${TABLE_THREADS})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(global_invocation_id) thread: vec3<u32>,
) {
  if (thread.x >= dims.tableRows) { return; }
  let part = partOf(workgroup.y);
  let own = tables[thread.x];
  var low = vec4<f32>();
  var high = vec4<f32>();
  for (var i = part.x; i < part.y; i++) {
    let row = order[state[0] * dims.batch + i];
    if (rows_[row * dims.rowWords + own.x] != own.y) { continue; }
    let at = i * dims.inputWidth + own.w;
    low += vec4<f32>(g[at], g[at + 1u], g[at + 2u], g[at + 3u]);
    high += vec4<f32>(g[at + 4u], g[at + 5u], g[at + 6u], g[at + 7u]);
  }
  let to = workgroup.y * dims.size + own.z;
  for (var c = 0u; c < 4u; c++) {
    gradients[to + c] = low[c];
    gradients[to + 4u + c] = high[c];
  }
}
`;
