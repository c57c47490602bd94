/** Data sets of sequences in long format, with the split that they came with. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTableFromFile } from "../../../engine/src/data/readers/read-table.ts";
import type { Column } from "../../../engine/src/data/table.ts";
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
