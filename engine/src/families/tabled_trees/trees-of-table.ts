/**
 * Trees over a table that a family makes of its frame: binned, fitted and saved with what it takes
 * to read such a table again.
 */

import { z } from "zod";
import { Arena, type ArenaHandle } from "../../compute/arena.ts";
import { extendKey } from "../../compute/random.ts";
import { binsToFit } from "../../data/binning/column-binner.ts";
import { encodeFeatures, freeEncoded } from "../../data/encode.ts";
import type { EncodedData, FeatureBins } from "../../data/encoded.ts";
import { type FeatureSchema, schemaFeatures } from "../../data/feature-schema.ts";
import { fitFeatureSchema } from "../../data/fit-feature-schema.ts";
import type { Table } from "../../data/table.ts";
import type { Parameters } from "../../search/space.ts";
import { TASK_KINDS, type Task, taskType } from "../../tasks/index.ts";
import type { Loss } from "../../tasks/task-type.ts";
import type { Family, FamilyLoader, FitContext, FittedModel, SavedModel } from "../family.ts";

/** A task of rows by themselves with that loss; of a pinball loss, of the median. */
export function taskOfRows(loss: Loss, classes: readonly string[]): Task {
  const kind = TASK_KINDS.find((each) => {
    const type = taskType(each);
    return type.loss === loss && type.framing === null;
  });
  if (kind === undefined) throw new RangeError(`No kind of task minimises the ${loss}.`);
  return { kind, classes: [...classes], ...taskType(kind).traits({ quantiles: [0.5] }) };
}

export interface TreesRequest {
  /** Of numbers alone; its first rows are learned from, the others say when to stop. */
  readonly table: Table;
  readonly trainRows: number;
  /** One a row of the table. */
  readonly target: Float64Array;
  /** Labels by degrees, as in `FitContext`; absent: there are none. */
  readonly softTarget?: Float64Array | null;
  readonly weights: Float64Array | null;
  readonly task: Task;
  /** Of trees; it reads bins. */
  readonly learner: Family;
  readonly parameters: Parameters;
}

export class TreesOfTable {
  readonly model: FittedModel;
  readonly #schema: FeatureSchema;
  readonly #bins: readonly FeatureBins[];
  readonly #task: Task;

  constructor(model: FittedModel, schema: FeatureSchema, bins: readonly FeatureBins[], task: Task) {
    this.model = model;
    this.#schema = schema;
    this.#bins = bins;
    this.#task = task;
  }

  /** Names of the table's columns that the trees know, in the order of their features. */
  get columns(): readonly string[] {
    return this.#schema.columns.map(({ name }) => name);
  }

  /** Runs `action` on the encoded rows of such a table. */
  over<T>(table: Table, arena: ArenaHandle, action: (encoded: EncodedData) => T): T {
    const encoded = encodeFeatures(this.#schema, table, Arena.attach(arena), {
      bins: this.#bins,
      values: false,
    });
    try {
      return action(encoded);
    } finally {
      freeEncoded(encoded);
    }
  }

  save(): SavedModel {
    const { header, tensors } = this.model.save();
    return {
      header: {
        model: header,
        columns: this.columns,
        bins: this.#bins.map(({ valueBins }) => valueBins),
        task: this.#task,
      },
      tensors: {
        ...tensors,
        table_edges: Float64Array.from(this.#bins.flatMap(({ edges }) => [...edges])),
      },
    };
  }

  /** @param learner that it was fitted by. @throws where it is not what `save` gave */
  static load(saved: SavedModel, learner: FamilyLoader): TreesOfTable {
    const header = headerSchema.parse(saved.header);
    const { table_edges: edges, ...tensors } = saved.tensors;
    if (!(edges instanceof Float64Array))
      throw new TypeError('The array "table_edges" is missing or not a Float64Array.');
    const schema: FeatureSchema = {
      columns: header.columns.map((name) => ({ kind: "numeric", name })),
      dropped: [],
      notes: [],
    };
    let at = 0;
    const bins = header.bins.map((valueBins): FeatureBins => {
      const own = edges.slice(at, at + valueBins - 1);
      at += valueBins - 1;
      return { kind: "numeric", valueBins, edges: own };
    });
    const model = learner.load(
      { header: header.model, tensors },
      { task: header.task, features: schemaFeatures(schema.columns), bins },
    );
    return new TreesOfTable(model, schema, bins, header.task);
  }
}

/** A function, so that what only predicts need not carry how bins and schemas are fitted. */
export function fitTreesOfTable(context: FitContext, request: TreesRequest): TreesOfTable {
  const { table, trainRows, target, softTarget = null, weights } = request;
  const { task, learner, parameters } = request;
  const schema = fitFeatureSchema(table);
  context.limits?.throwIfOver();
  const fit = { key: extendKey(context.key, "table-bins") };
  const arena = Arena.attach(context.data.arena);
  const encoded = encodeFeatures(schema, table, arena, {
    ...{ bins: binsToFit(fit, table.rows), values: false },
  });
  try {
    const valid = table.rows - trainRows;
    const model = learner.fit(
      {
        ...context,
        task,
        data: encoded,
        target,
        softTarget,
        weights,
        trainRows: Uint32Array.from({ length: trainRows }, (_, row) => row),
        validRows: valid > 0 ? Uint32Array.from({ length: valid }, (_, i) => trainRows + i) : null,
        monotone: {},
      },
      parameters,
    );
    // While the rows are there: what a held-out row is told without its say.
    const heldOut = model.predictHeldOut?.();
    if (heldOut) model.predictHeldOut = () => heldOut;
    return new TreesOfTable(model, schema, encoded.binned?.bins ?? [], task);
  } finally {
    freeEncoded(encoded);
  }
}

const headerSchema = z.object({
  model: z.unknown(),
  columns: z.array(z.string()),
  bins: z.array(z.int().min(1).max(255)),
  task: z.object({
    kind: z.enum(TASK_KINDS),
    classes: z.array(z.string()),
    quantiles: z.array(z.number()).optional(),
  }),
});
