/** Trees over a table that a transform makes of sequences, and the columns that a sequence has beside its channels. */

import { z } from "zod";
import { Arena } from "../../compute/arena.ts";
import type { EncodedData } from "../../data/encoded.ts";
import type { NumericColumn, Table } from "../../data/table.ts";
import type { Parameters } from "../../search/space.ts";
import type { SequenceTransform } from "../../sequences/feature-matrix.ts";
import { loadOfLengths } from "../../sequences/resampling.ts";
import type { SavedTransform } from "../../sequences/saved-transform.ts";
import { outputCount, typeOf } from "../../tasks/index.ts";
import type {
  Explanation,
  Family,
  FamilyLoader,
  FitContext,
  FittedModel,
  SavedModel,
} from "../family.ts";
import type { FitLimits } from "../fit-limits.ts";
import type { LearningCurve } from "../learning-curve.ts";
import { sequenceFrame } from "../sequence_transforms/ridge-model.ts";
import { underPrefix, withPrefix } from "../sequence_transforms/saved-parts.ts";
import { transformInBlocks } from "../sequence_transforms/transform-in-blocks.ts";
import { fitTreesOfTable, TreesOfTable, taskOfRows } from "../tabled_trees/trees-of-table.ts";

/** Of the names of the arrays of the transform. */
const PREFIX = "transform.";

export interface TabledSequences {
  /** Whose columns tell of which channel they are. */
  readonly transform: SequenceTransform;
  /** Of trees. */
  readonly learner: Family;
  readonly parameters: Parameters;
}

export function fitTabledSequences(
  context: FitContext,
  { transform, learner, parameters }: TabledSequences,
): FittedModel {
  const { data, task, trainRows, validRows, target, softTarget, weights, limits } = context;
  const rows = Uint32Array.from([...trainRows, ...(validRows ?? [])]);
  const pick = (values: Float64Array): Float64Array =>
    Float64Array.from(rows, (row) => values[row]);
  const trees = fitTreesOfTable(context, {
    table: tableOf(data, rows, transform, limits),
    trainRows: trainRows.length,
    target: pick(target),
    softTarget: softTarget && pickShares(softTarget, rows, outputCount(task)),
    weights: weights && pick(weights),
    task: taskOfRows(typeOf(task).loss, task.classes),
    learner,
    parameters,
  });
  return new TableModel(trees, transform, data.features.length);
}

/** Row-major, as they are given. */
function pickShares(shares: Float64Array, rows: Uint32Array, outputs: number): Float64Array {
  return Float64Array.from({ length: rows.length * outputs }, (_, i) => {
    return shares[rows[Math.floor(i / outputs)] * outputs + (i % outputs)];
  });
}

function columnsOf({ columns }: SequenceTransform): NonNullable<SequenceTransform["columns"]> {
  if (columns === undefined) throw new TypeError("A table is made of columns that have channels.");
  return columns;
}

/** Column names tell what they are of: a channel, the length, or a feature of the data. */
function tableOf(
  data: EncodedData,
  rows: Uint32Array,
  transform: SequenceTransform,
  limits?: FitLimits,
): Table {
  const frame = sequenceFrame(data);
  const { values, columns } = transformInBlocks(transform, frame, rows, data, limits);
  const made = columnsOf(transform).map(
    (_, c): NumericColumn => ({
      kind: "numeric",
      name: `interval ${c}`,
      values: Float64Array.from(rows, (_row, i) => values[i * columns + c]),
    }),
  );
  const arena = Arena.attach(data.arena);
  const { values: pointer } = data;
  const beside = data.features.flatMap((_, f): NumericColumn[] => {
    if (pointer === null) return [];
    const column = arena.f64(pointer + f * data.rows * 8, data.rows);
    return [
      {
        kind: "numeric",
        name: `beside ${f}`,
        values: Float64Array.from(rows, (row) => column[row]),
      },
    ];
  });
  return { rows: rows.length, columns: [...made, ...beside] };
}

class TableModel implements FittedModel {
  readonly #trees: TreesOfTable;
  readonly #transform: SequenceTransform;
  readonly #outer: number;
  readonly predictHeldOut?: () => Float64Array;

  constructor(trees: TreesOfTable, transform: SequenceTransform, outer: number) {
    this.#trees = trees;
    this.#transform = transform;
    this.#outer = outer;
    const { predictHeldOut } = trees.model;
    if (predictHeldOut) this.predictHeldOut = () => predictHeldOut.call(trees.model);
  }

  get facts(): FittedModel["facts"] {
    return this.#trees.model.facts;
  }

  get curve(): LearningCurve | null {
    return this.#trees.model.curve ?? null;
  }

  predict(data: EncodedData, rows: Uint32Array | null): Float64Array {
    return this.#over(data, rows, (encoded) => this.#trees.model.predict(encoded, null));
  }

  explain(data: EncodedData, rows: Uint32Array | null): Explanation {
    const owners = this.#owners();
    const width = this.#outer + sequenceFrame(data).channels;
    return this.#over(data, rows, (encoded) => {
      const inner = this.#trees.model.explain(encoded, null);
      const outputs = inner.baseValues.length;
      const count = inner.margins.length / outputs;
      const contributions = new Float64Array(count * width * outputs);
      for (let row = 0; row < count; row++) {
        for (const [f, owner] of owners.entries()) {
          for (let k = 0; k < outputs; k++) {
            contributions[(row * width + owner) * outputs + k] +=
              inner.contributions[(row * owners.length + f) * outputs + k];
          }
        }
      }
      return { ...inner, contributions };
    });
  }

  importance(): Float64Array {
    const channels = columnsOf(this.#transform).reduce(
      (most, { channel }) => Math.max(most, channel),
      0,
    );
    const shares = new Float64Array(this.#outer + channels + 1);
    const inner = this.#trees.model.importance();
    for (const [f, owner] of this.#owners().entries()) shares[owner] += inner[f];
    return shares;
  }

  /** Of each feature of the trees, the place among the data's features and the channels behind them. */
  #owners(): number[] {
    const columns = columnsOf(this.#transform);
    return this.#trees.columns.map((name) => {
      const [what, number] = name.split(" ");
      if (what === "beside") return Number(number);
      // The length is of all channels; the first stands for them.
      return this.#outer + Math.max(0, columns[Number(number)].channel);
    });
  }

  #over<T>(data: EncodedData, rows: Uint32Array | null, action: (encoded: EncodedData) => T): T {
    const asked = rows ?? Uint32Array.from({ length: data.rows }, (_, row) => row);
    return this.#trees.over(tableOf(data, asked, this.#transform), data.arena, action);
  }

  save(): SavedModel {
    const trees = this.#trees.save();
    const transform = this.#transform.save();
    return {
      header: { trees: trees.header, transform: transform.header, outer: this.#outer },
      tensors: {
        ...trees.tensors,
        ...withPrefix(PREFIX, transform.tensors),
      },
    };
  }
}

const headerSchema = z.object({ trees: z.unknown(), transform: z.unknown(), outer: z.int() });

/** @param of the fit: its learner, and how its transform is read */
export function loadTabledSequences(
  { header, tensors }: SavedModel,
  of: {
    readonly learner: FamilyLoader;
    readonly load: (saved: SavedTransform) => SequenceTransform;
  },
): FittedModel {
  const parsed = headerSchema.parse(header);
  const own = underPrefix(PREFIX, tensors);
  const others = Object.fromEntries(
    Object.entries(tensors).filter(([name]) => !name.startsWith(PREFIX)),
  );
  const transform = loadOfLengths(of.load)({ header: parsed.transform, tensors: own });
  const trees = TreesOfTable.load({ header: parsed.trees, tensors: others }, of.learner);
  return new TableModel(trees, transform, parsed.outer);
}
