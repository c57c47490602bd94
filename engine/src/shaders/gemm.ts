/**
 * Products of matrices for a network's layers, in tiles: a workgroup brings slices of both factors into its
 * memory, and each thread keeps a square of sums in registers (Volkov & Demmel, "Benchmarking GPUs to tune dense
 * linear algebra", SC'08). Sums go along the depth in its order, whatever the tile.
 *
 * - `hidden`: given · W / √inputs + b, and what the activation with dropout makes of it;
 * - `outputs`: the same of the last layer, which has no activation;
 * - `weights`: givenᵀ · g over the rows of a part, the gradient of W;
 * - `inputs`: g · Wᵀ, the loss by what the layer was given.
 */

import { activation, header, MASK, PART, ROWS_HERE } from "./network.ts";

export type Product = "hidden" | "outputs" | "weights" | "inputs";

/** Rows and columns of a tile, and of the square of one thread. */
export interface Tile {
  readonly side: number;
  readonly each: number;
}

export const TILES: readonly Tile[] = [
  { side: 128, each: 8 },
  { side: 64, each: 4 },
  { side: 32, each: 4 },
];

/** Workgroups that a device should have at least: fewer leave most of it idle. */
const ENOUGH = 96;

export const tilesOf = (rows: number, columns: number, { side }: Tile): number =>
  Math.ceil(rows / side) * Math.ceil(columns / side);

/** The largest tile that a product has enough of. @param parts that have a product each */
export const tileFor = (rows: number, columns: number, parts: number): Tile =>
  TILES.find((tile) => parts * tilesOf(rows, columns, tile) >= ENOUGH) ?? TILES.at(-1)!;

interface Shape {
  readonly head: string;
  /** WGSL: u32 of the product. */
  readonly rows: string;
  readonly columns: string;
  /** WGSL: the depth from and to. */
  readonly depth: readonly [string, string];
  /** WGSL: of row i and depth k; of depth k and column j. */
  readonly a: string;
  readonly b: string;
  /** Neighbours in memory are neighbours along the depth, not along rows (columns). */
  readonly aAlongDepth: boolean;
  readonly bAlongDepth: boolean;
  /** WGSL: what becomes of `sum` at i, j. */
  readonly store: string;
}

function shapeOf(product: Product, kind: number): Shape {
  const parameters = ["parameters", "array<f32>"] as const;
  const state = ["state", "array<u32>"] as const;
  const forward = {
    rows: "rowsHere()",
    columns: "dims.width",
    depth: ["0u", "dims.reads"],
    a: "given[i * dims.reads + k]",
    b: "parameters[dims.weights + k * dims.width + j]",
    aAlongDepth: true,
    bAlongDepth: false,
  } as const;
  const given = ["given", "array<f32>"] as const;
  const sums = ["=sums", "array<f32>"] as const;
  switch (product) {
    case "hidden":
      return {
        ...forward,
        head:
          header(state, ["steps", "array<Step>"], parameters, given, sums, [
            "=next",
            "array<f32>",
          ]) +
          ROWS_HERE +
          MASK +
          activation(kind),
        store: /* wgsl */ `
          let x = sum * dims.factor + parameters[dims.biases + j];
          let at = i * dims.width + j;
          sums[at] = x;
          next[at] = (x + parameters[dims.alpha + j] * (bent(x) - x)) * mask(at);`,
      };
    case "outputs":
      return {
        ...forward,
        head: header(state, parameters, given, sums) + ROWS_HERE,
        store: "sums[i * dims.width + j] = sum * dims.factor + parameters[dims.biases + j];",
      };
    case "weights":
      return {
        head: header(state, given, ["g", "array<f32>"], ["=gradients", "array<f32>"]) + PART,
        rows: "dims.reads",
        columns: "dims.width",
        depth: ["partOf(workgroup.y).x", "partOf(workgroup.y).y"],
        a: "given[k * dims.reads + i]",
        b: "g[k * dims.width + j]",
        aAlongDepth: false,
        bAlongDepth: false,
        store:
          "gradients[workgroup.y * dims.size + dims.weights + i * dims.width + j] = sum * dims.factor;",
      };
    case "inputs":
      return {
        head: header(state, parameters, ["g", "array<f32>"], ["=next", "array<f32>"]) + ROWS_HERE,
        rows: "rowsHere()",
        columns: "dims.reads",
        depth: ["0u", "dims.width"],
        a: "g[i * dims.width + k]",
        b: "parameters[dims.weights + j * dims.width + k]",
        aAlongDepth: true,
        bAlongDepth: true,
        store: "next[i * dims.reads + j] = sum * dims.factor;",
      };
  }
}

/**
 * Workgroups: x tiles, row by row; y parts (of `weights`, else 1).
 *
 * @param kind of the activation, of `hidden` alone
 */
export function gemmShader(product: Product, { side, each }: Tile, kind = 0): string {
  const shape = shapeOf(product, kind);
  const across = side / each;
  const threads = across * across;
  const slice = each === 8 ? 8 : 16;
  // An odd step spreads a column of a tile over the banks of workgroup memory.
  const step = side + 1;
  const squares = Array.from({ length: each }, (_, n) => n);
  const pairs = squares.flatMap((r) => squares.map((c) => [r, c] as const));
  const load = (
    name: string,
    read: string,
    alongDepth: boolean,
    side_: "i" | "j",
  ): string => /* wgsl */ `
    for (var e = thread; e < ${side * slice}u; e += ${threads}u) {
      let along = ${alongDepth ? `e % ${slice}u` : `e / ${side}u`};
      let over = ${alongDepth ? `e / ${slice}u` : `e % ${side}u`};
      let k = first + along;
      let ${side_} = ${side_ === "i" ? "top" : "left"} + over;
      var value = 0.0;
      if (k < end && ${side_} < ${side_ === "i" ? "rows" : "columns"}) { value = ${read}; }
      ${name}[along * ${step}u + over] = value;
    }`;
  return /* wgsl */ `
${shape.head}
var<workgroup> ofA: array<f32, ${slice * step}>;
var<workgroup> ofB: array<f32, ${slice * step}>;

@compute @workgroup_size(${threads})
fn main(
  @builtin(workgroup_id) workgroup: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let rows = ${shape.rows};
  let columns = ${shape.columns};
  let end = ${shape.depth[1]};
  let across = (columns + ${side - 1}u) / ${side}u;
  let top = workgroup.x / across * ${side}u;
  let left = workgroup.x % across * ${side}u;
  let x = thread % ${across}u;
  let y = thread / ${across}u;
  ${pairs.map(([r, c]) => `var s${r}_${c} = 0.0;`).join(" ")}
  for (var first = ${shape.depth[0]}; first < end; first += ${slice}u) {
    ${load("ofA", shape.a, shape.aAlongDepth, "i")}
    ${load("ofB", shape.b, shape.bAlongDepth, "j")}
    workgroupBarrier();
    for (var k = 0u; k < ${slice}u; k++) {
      ${squares.map((r) => `let a${r} = ofA[k * ${step}u + y + ${r * across}u];`).join(" ")}
      ${squares.map((c) => `let b${c} = ofB[k * ${step}u + x + ${c * across}u];`).join(" ")}
      ${pairs.map(([r, c]) => `s${r}_${c} += a${r} * b${c};`).join(" ")}
    }
    workgroupBarrier();
  }
  // Not written out once a sum: compilers would take seconds over it.
  var all = array<f32, ${each * each}>(${pairs.map(([r, c]) => `s${r}_${c}`).join(", ")});
  for (var n = 0u; n < ${each * each}u; n++) {
    let i = top + y + n / ${each}u * ${across}u;
    let j = left + x + n % ${each}u * ${across}u;
    if (i >= rows || j >= columns) { continue; }
    let sum = all[n];
    ${shape.store}
  }
}
`;
}
