/** Data sets of sequences in long format, with the split that they came with. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTableFromFile } from "../../../engine/src/data/readers/read-table.ts";
import type { Column, Table } from "../../../engine/src/data/table.ts";
import type { SequenceSet } from "../../../engine/src/sequences/sequence-set.ts";

export interface LabelledSequences {
  readonly set: SequenceSet;
  /** The value, or the number of the class. */
  readonly target: Float64Array;
}

export interface SequenceData {
  readonly name: string;
  /** 0 for regression. */
  readonly classes: number;
  readonly train: LabelledSequences;
  readonly test: LabelledSequences;
  /** Mean accuracy of MiniRocket over 30 splits, as its authors published it. */
  readonly published: number | null;
  /** Accuracy of HIVE-COTE 2.0 on this split, as published with aeon. */
  readonly publishedBest: number | null;
}

/** A set's files, as a run takes them. */
export interface SequenceFiles {
  readonly kind: "sequence_regression" | "sequence_binclass" | "sequence_multiclass";
  readonly label: string;
  readonly sequence: string;
  readonly order: string;
  /** Path of the rows to learn from. */
  readonly train: string;
  /** The other rows without their labels, and the label of each sequence by its id. */
  test(): Promise<{ readonly table: Table; readonly labels: ReadonlyMap<string, string> }>;
}

interface Meta {
  readonly name: string;
  readonly task: string;
  readonly target: string;
  readonly id_column: string;
  readonly time_column: string;
  readonly files: readonly string[];
  readonly published_accuracy_default_split?: Readonly<Record<string, number>>;
}

/** Names of the folders with sequences. */
export function sequenceFolders(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, "meta.json")))
    .filter((name) => readMeta(join(folder, name)).task.startsWith("sequence_"))
    .toSorted();
}

/** Of a folder of another task, id and time are not there. */
function readMeta(folder: string): Meta {
  return JSON.parse(readFileSync(join(folder, "meta.json"), "utf8"));
}

export async function readSequences(folder: string): Promise<SequenceData> {
  const meta = readMeta(folder);
  const regression = meta.task === "sequence_regression";
  const read = async (start: string) => {
    const file = meta.files.find((each) => each.startsWith(start));
    if (file === undefined) throw new Error(`${meta.name} has no ${start} file.`);
    const { table } = await readTableFromFile(join(folder, file), {
      format: "csv",
      kinds: {
        [meta.id_column]: "categorical",
        [meta.time_column]: "numeric",
        [meta.target]: regression ? "numeric" : "categorical",
      },
    });
    return sequencesOf(table.columns, meta);
  };
  const [train, test] = [await read("train"), await read("test")];
  const names = [...new Set([...train.labels, ...test.labels])].toSorted();
  const labelled = ({ set, labels }: typeof train): LabelledSequences => ({
    set,
    target: Float64Array.from(labels, (label) =>
      regression ? Number(label) : names.indexOf(label),
    ),
  });
  return {
    name: meta.name,
    classes: regression ? 0 : names.length,
    train: labelled(train),
    test: labelled(test),
    published: meta.published_accuracy_default_split?.["MiniRocket_mean30"] ?? null,
    publishedBest: meta.published_accuracy_default_split?.["HC2"] ?? null,
  };
}

const KINDS = ["sequence_regression", "sequence_binclass", "sequence_multiclass"] as const;

export function sequenceFiles(folder: string): SequenceFiles {
  const meta = readMeta(folder);
  const kind = KINDS.find((each) => each === meta.task);
  if (kind === undefined) throw new Error(`${meta.name} has no sequences.`);
  const file = (start: string): string => {
    const found = meta.files.find((each) => each.startsWith(start));
    if (found === undefined) throw new Error(`${meta.name} has no ${start} file.`);
    return join(folder, found);
  };
  return {
    kind,
    label: meta.target,
    sequence: meta.id_column,
    order: meta.time_column,
    train: file("train"),
    async test() {
      const { table } = await readTableFromFile(file("test"), {
        format: "csv",
        kinds: { [meta.id_column]: "categorical", [meta.target]: "categorical" },
      });
      const column = (name: string) => {
        const found = table.columns.find((each) => each.name === name);
        if (found?.kind !== "categorical") throw new Error(`${meta.name} has no column ${name}.`);
        return found;
      };
      const [ids, labels] = [column(meta.id_column), column(meta.target)];
      const byId = new Map<string, string>();
      for (let row = 0; row < table.rows; row++) {
        byId.set(ids.categories[ids.codes[row]], labels.categories[labels.codes[row]]);
      }
      const columns = table.columns.filter((each) => each !== labels);
      return { table: { rows: table.rows, columns }, labels: byId };
    },
  };
}

/** Rows of one id are a sequence, in the order of their time. */
function sequencesOf(
  columns: readonly Column[],
  meta: Meta,
): { set: SequenceSet; labels: string[] } {
  const column = (name: string) => {
    const found = columns.find((each) => each.name === name);
    if (!found) throw new Error(`${meta.name} has no column ${name}.`);
    return found;
  };
  const [ids, times, target] = [meta.id_column, meta.time_column, meta.target].map(column);
  if (ids.kind !== "categorical" || times.kind !== "numeric") {
    throw new Error(`${meta.name} has ids or times of another kind.`);
  }
  const order = ids.codes
    .map((_, row) => row)
    .sort((a, b) => ids.codes[a] - ids.codes[b] || times.values[a] - times.values[b]);
  const values = columns
    .filter((each) => each !== ids && each !== times && each !== target)
    .map((each) => {
      if (each.kind !== "numeric") throw new Error(`${each.name} of ${meta.name} is not numeric.`);
      return Float64Array.from(order, (row) => each.values[row]);
    });
  const starts = [...order.keys()].filter(
    (i) => i === 0 || ids.codes[order[i]] !== ids.codes[order[i - 1]],
  );
  const labels = starts.map((i) => {
    const row = order[i];
    if (target.kind === "numeric") return String(target.values[row]);
    if (target.kind === "categorical") return target.categories[target.codes[row]];
    throw new Error(`The label of ${meta.name} is of another kind.`);
  });
  const set = {
    count: starts.length,
    channels: values.length,
    offsets: Uint32Array.of(...starts, order.length),
    values,
  };
  return { set, labels };
}
