/** Tasks for pool threads: the same table encoded by one thread and by all that come. */

import { createHash } from "node:crypto";
import { Arena, type ArenaHandle } from "../../../compute/arena.ts";
import type { HelpInput } from "../../../compute/crew.ts";
import {
  type CrewDesk,
  enterDesk,
  helpedSeconds,
  isToLeave,
  leaveDesk,
} from "../../../compute/crew-desk.ts";
import { task } from "../../../compute/pool.ts";
import { CounterRandom, deriveKey } from "../../../compute/random.ts";
import { encodeFeatures, freeEncoded } from "../../encode.ts";
import type { EncodedData } from "../../encoded.ts";
import { featureColumns } from "../../feature-columns.ts";
import { fitFeatureSchema } from "../../fit-feature-schema.ts";
import type { Column, Table } from "../../table.ts";
import * as layout from "../binning-desk.ts";
import { binsToFit } from "../column-binner.ts";
import { fitBinning } from "../fit-binning.ts";
import { shareColumns } from "../shared-binning.ts";

export interface SharedEncoding {
  readonly seed: number;
  readonly rows: number;
  readonly columns: number;
  /** Of every third column; 0: all are numeric. */
  readonly categories: number;
  /** Part of the rows that bins are fitted on. */
  readonly fitted: number;
  readonly sampleSize: number;
  readonly maxBins: number;
  /** Bins are there before. */
  readonly given: boolean;
  readonly values: boolean;
  readonly byRow: boolean;
  /** Until something fails. */
  readonly repeats?: boolean;
}

export interface SharedEncodingOutcome {
  /** A digest of all that was made. */
  readonly alone: string;
  readonly shared: string;
  /** Seconds that others worked. */
  readonly helped: number;
}

function tableOf({ seed, rows, columns, categories }: SharedEncoding): Table {
  const random = new CounterRandom(deriveKey(seed, "table"));
  const names = Array.from({ length: categories }, (_, i) => `level ${i}`);
  return {
    rows,
    columns: Array.from({ length: columns }, (_, c): Column => {
      if (categories > 0 && c % 3 === 2) {
        const codes = Int32Array.from(
          { length: rows },
          () => random.nextInteger(categories + 1) - 1,
        );
        return { kind: "categorical", name: `c${c}`, codes, categories: names };
      }
      // Few values, many of the single precision, many of the double one; some are missing.
      const values = Float64Array.from({ length: rows }, () => {
        const value = c % 2 === 0 ? random.nextGaussian() : random.nextInteger(300);
        return random.nextFloat() < 0.1 ? Number.NaN : c % 4 === 0 ? Math.fround(value) : value;
      });
      return { kind: "numeric", name: `x${c}`, values };
    }),
  };
}

function digestOf(arena: Arena, { rows, features, binned, values }: EncodedData): string {
  const digest = createHash("sha256");
  if (binned === null) throw new Error("There are no bins.");
  digest.update(JSON.stringify(binned.bins.map((bins) => ({ ...bins, edges: [...bins.edges] }))));
  for (let f = 0; f < features.length; f++) {
    digest.update(arena.u8(binned.columnMajor + f * binned.columnStride, rows).slice());
  }
  if (binned.rowMajor !== null) {
    digest.update(arena.u8(binned.rowMajor, rows * binned.rowStride).slice());
  }
  for (const { feature, codes } of binned.wide ?? []) {
    digest.update(`${feature}`).update(arena.u8(codes, 2 * rows).slice());
  }
  if (values !== null) digest.update(arena.u8(values, 8 * rows * features.length).slice());
  return digest.digest("hex");
}

type Helped = SharedEncoding & { readonly arena: ArenaHandle; readonly desk: CrewDesk };

export const encodeBoth = task((input: Helped): SharedEncodingOutcome => {
  const { rows, sampleSize, maxBins, values, byRow, desk, repeats = false } = input;
  const table = tableOf(input);
  const schema = fitFeatureSchema(table);
  const fit = { sampleSize, maxBins, key: deriveKey(1, "binning") };
  const bins = input.given
    ? fitBinning(featureColumns(schema, table), fit)
    : binsToFit(fit, Math.ceil(input.fitted * rows));
  const arena = Arena.attach(input.arena);
  const encode = (share: ReturnType<typeof shareColumns> | null): string => {
    const data = encodeFeatures(schema, table, arena, { bins, values, byRow, share });
    const digest = digestOf(arena, data);
    freeEncoded(data);
    return digest;
  };
  const alone = encode(null);
  const held = arena.liveBytes;
  const requireFreed = (): void => {
    if (arena.liveBytes !== held) throw new Error("Memory was not given back.");
  };
  for (;;) {
    let shared: string;
    try {
      shared = encode(shareColumns(desk, 0));
    } catch (fault) {
      requireFreed();
      throw fault;
    }
    requireFreed();
    if (!repeats) return { alone, shared, helped: helpedSeconds(desk) };
  }
});

export const helpBinning = task(layout.helpBinning);

/** A helper that begins a column, and comes to harm. */
export const harm = task(({ arena, desk, place }: HelpInput) => {
  const block = enterDesk(desk, place);
  if (block === null) return;
  const words = Arena.attach(arena).i32(block, layout.wordsFor(1));
  Atomics.add(words, layout.PRESENT, 1);
  while (!isToLeave(desk, place)) {
    if (
      Atomics.compareExchange(
        words,
        layout.slotAt(0) + layout.STATE,
        layout.FILLED,
        layout.BEGUN,
      ) !== layout.FILLED
    )
      continue;
    throw new RangeError("out of memory");
  }
  Atomics.sub(words, layout.PRESENT, 1);
  leaveDesk(desk, place, 0);
});
