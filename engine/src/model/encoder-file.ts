/** Bin edges as a packed file. */

import { z } from "zod";
import type { FeatureBins } from "../data/encoded.ts";
import type { SavedModel } from "../families/family.ts";
import { ModelFormatError } from "./model-format-error.ts";

const headerSchema = z.object({
  bins: z.array(
    z.object({ kind: z.enum(["numeric", "categorical"]), valueBins: z.int().min(1).max(255) }),
  ),
});

export function saveBins(bins: readonly FeatureBins[]): SavedModel {
  const edges = new Float64Array(bins.reduce((sum, feature) => sum + feature.edges.length, 0));
  let offset = 0;
  for (const feature of bins) {
    edges.set(feature.edges, offset);
    offset += feature.edges.length;
  }
  return {
    header: { bins: bins.map(({ kind, valueBins }) => ({ kind, valueBins })) },
    tensors: { edges },
  };
}

export function loadBins(saved: SavedModel, file: string): readonly FeatureBins[] {
  const header = headerSchema.safeParse(saved.header);
  const { edges } = saved.tensors;
  if (!header.success || !(edges instanceof Float64Array)) {
    throw new ModelFormatError(`${file} does not contain bin edges; it is damaged.`);
  }
  let offset = 0;
  const bins = header.data.bins.map(({ kind, valueBins }): FeatureBins => {
    const count = kind === "numeric" ? valueBins - 1 : 0;
    const own = edges.slice(offset, offset + count);
    offset += count;
    return { kind, valueBins, edges: own };
  });
  if (offset !== edges.length) throw new ModelFormatError(`${file} is damaged.`);
  return bins;
}
