/**
 * Has a device explain rows by trees, in the order of the trees and to the CPU's bits (`shaders/tree-shap.ts`). Trees
 * go there one by one; what they add stays there until the last.
 */

import { Arena, ArenaFullError, type ArenaHandle, type Pointer } from "../../compute/arena.ts";
import {
  ask,
  distrust,
  growAnswer,
  isOpen,
  type Lane,
  laneRecord,
} from "../../compute/gpu/lane.ts";
import {
  BEGIN_SHAP,
  numbersOfLevel,
  READ_SHAP,
  SHAP_HEAD,
  SHAP_TREE,
  STEP_WORDS,
} from "../../compute/gpu/shap-requests.ts";
import { withScratch } from "../../compute/scratch.ts";
import type { SumSize } from "../device-sums.ts";
import type { ExplainedRows, ExplainingTree, TreeExplainer } from "./device-explainer.ts";
import { pathSteps } from "./path-steps.ts";

/**
 * Of a request, in threads × nodes × points. The first is a second or more of a software device; later ones grow
 * while answers come soon, and shrink where they do not, so that no device is taken for one that hangs.
 */
const FIRST_WORK = 2 ** 18;
const MOST_WORK = 2 ** 26;
const SOON_MS = 100;
const LATE_MS = 2000;
/** Of the numbers that all threads of a request keep. */
const MOST_PATH_BYTES = 2 ** 26;
const MOST_REFUSALS = 3;
/** Cells of a histogram that a node takes the CPU as long as: two points at least, 3.6 ns each. */
const CELLS_OF_NODE = 7;
/** That some rows take beside those of their trees. */
const REQUESTS = 2;
/** What the shader multiplies and adds must stay finite. */
const MOST_VALUE = 1e250;

interface Begun {
  readonly rows: ExplainedRows;
  /** Threads that should be done. */
  threads: number;
}

export class LaneExplainer implements TreeExplainer {
  readonly #lane: Lane;
  readonly #place: Arena | null;
  readonly #mostWork: number;
  #work: number;
  #begun: Begun | null = null;
  #stamp = 0;

  /**
   * @param place the arena that the lane is of, where rows are of another one; null: they are of it
   * @param mostWork of a request, at most, in threads × nodes × points
   */
  constructor(lane: Lane, place: ArenaHandle | null = null, mostWork = MOST_WORK) {
    this.#lane = lane;
    this.#place = place && Arena.attach(place);
    this.#mostWork = mostWork;
    this.#work = Math.min(FIRST_WORK, mostWork);
  }

  takes({ trees, nodes, rows }: SumSize): boolean {
    const least = (trees + REQUESTS) * this.#lane.leastCells;
    if (CELLS_OF_NODE * nodes * rows < least) return false;
    return isOpen(this.#lane) && laneRecord(this.#lane).refused < MOST_REFUSALS;
  }

  begin(arena: Arena, rows: ExplainedRows): boolean {
    this.#begun = null;
    const { packed, count, rowStride } = rows;
    const cells = rows.features * rows.outputs;
    if (!isBounded(arena, rows)) return false;
    const isBegun = this.#within(arena, (place) =>
      withScratch(place, (scratch) => {
        const bins = scratch.allocate(count * rowStride);
        const list = arena.u32(rows.list, count);
        for (let i = 0; i < count; i++) {
          const from = arena.u8(rows.rowMajor + list[i] * rowStride, rowStride);
          place.u8(bins + i * rowStride, rowStride).set(from);
        }
        const sets = scratch.u32(arena.u32(packed.sets, packed.setWords));
        const values = [bins, rowStride, count, cells, sets, packed.setWords];
        return ask(this.#lane, BEGIN_SHAP, values);
      }),
    );
    if (isBegun) this.#begun = { rows, threads: 0 };
    return isBegun;
  }

  addTree({ arena, tree, nodes, records, points, tables }: ExplainingTree): boolean {
    const begun = this.#begun;
    if (begun === null) return false;
    const { packed, outputs, count } = begun.rows;
    const width = packed.valuesPerNode;
    const { steps, levels, leaves } = pathSteps(arena, records, nodes);
    const bytesOfRow = 8 * levels * numbersOfLevel(points) * width;
    const workOfRow = nodes * points * width;
    return this.#within(arena, (place) =>
      withScratch(place, (scratch) => {
        const values = new Float64Array(leaves.length * width);
        leaves.forEach((leaf, i) => {
          values.set(arena.f64(packed.leafValues + 8 * leaf * width, width), i * width);
        });
        const tableBytes = 48 * nodes * points;
        const ofTree = [
          ...[scratch.u32(steps), steps.length / STEP_WORDS],
          ...[scratch.f64(arena.f64(tables, tableBytes / 8)), tableBytes],
          ...[scratch.f64(values), 8 * values.length, width],
          ...[width === 1 ? packed.treeOutput[tree] : 0, outputs, points, levels],
        ];
        for (let first = 0; first < count; ) {
          const most = Math.min(this.#work / workOfRow, MOST_PATH_BYTES / bytesOfRow);
          const rows = Math.min(Math.max(1, Math.floor(most)), count - first);
          if (!this.#asks([...ofTree, first, rows])) return false;
          begun.threads += rows * width;
          first += rows;
        }
        return true;
      }),
    );
  }

  end(arena: Arena, out: Pointer): boolean {
    const begun = this.#begun;
    this.#begun = null;
    if (begun === null) return false;
    const { features, outputs, count } = begun.rows;
    const numbers = count * features * outputs;
    const lane = this.#lane;
    this.#stamp = (this.#stamp + 1) & 0x7fffffff;
    if (!growAnswer(lane, SHAP_HEAD + 8 * numbers)) return false;
    if (!ask(lane, READ_SHAP, [this.#stamp])) return false;
    const [done, stamp] = new Uint32Array(lane.answer, 0, 2);
    if (done !== begun.threads >>> 0 || stamp !== this.#stamp) {
      this.distrust();
      return false;
    }
    arena.f64(out, numbers).set(new Float64Array(lane.answer, SHAP_HEAD, numbers));
    return true;
  }

  distrust(): void {
    distrust(this.#lane);
  }

  #asks(tree: readonly number[]): boolean {
    const begun = performance.now();
    const isDone = ask(this.#lane, SHAP_TREE, tree);
    const took = performance.now() - begun;
    if (took < SOON_MS) this.#work = Math.min(4 * this.#work, this.#mostWork);
    else if (took > LATE_MS) this.#work /= 2;
    return isDone;
  }

  /** False where there is no memory for what is carried there. */
  #within(arena: Arena, action: (place: Arena) => boolean): boolean {
    try {
      return action(this.#place ?? arena);
    } catch (fault) {
      if (!(fault instanceof ArenaFullError)) throw fault;
      return false;
    }
  }
}

/** Whether no product and no sum can leave the finite numbers. */
function isBounded(arena: Arena, { packed }: ExplainedRows): boolean {
  const leaves = (packed.treeStarts[packed.trees] + packed.trees) / 2;
  const values = arena.f64(packed.leafValues, leaves * packed.valuesPerNode);
  return values.every((value) => Math.abs(value) * packed.trees < MOST_VALUE);
}
