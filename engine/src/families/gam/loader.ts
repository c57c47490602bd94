/** Reads additive models of shape functions back. */

import { z } from "zod";
import { outputCount } from "../../tasks/index.ts";
import type { FamilyLoader, LoadContext, SavedModel } from "../family.ts";
import { isF64, savedTensor } from "../saved-tensor.ts";
import { GAM_VERSION, GamModel } from "./model.ts";
import type { Shape } from "./shapes.ts";

export const gamLoader: FamilyLoader = { id: "gam", reads: "bins", load: loadGam };

const side = z.int().min(1).max(256);
const headerSchema = z.strictObject({
  version: z.literal(GAM_VERSION),
  facts: z.record(z.string(), z.union([z.number(), z.string()])),
  terms: z.array(
    z.strictObject({
      features: z.array(z.int().nonnegative()).min(1).max(2),
      height: side,
      width: side,
    }),
  ),
});

/** @throws Error naming the part that is missing or does not fit */
function loadGam(saved: SavedModel, { task, features, bins }: LoadContext): GamModel {
  const parsed = headerSchema.safeParse(saved.header);
  if (!parsed.success) throw damaged(`its header: ${z.prettifyError(parsed.error)}`);
  if (bins === null) throw damaged("its schema has no bins");
  const { facts, terms } = parsed.data;
  const outputs = outputCount(task);
  const numbersOf = (name: string): Float64Array =>
    savedTensor("gam model", saved, name, null, isF64);
  const base = numbersOf("base");
  if (base.length !== outputs) throw damaged(`"base" needs ${outputs} numbers`);
  const values = numbersOf("values");
  const deviations = numbersOf("deviations");
  const covers = numbersOf("covers");
  const kept = saved.tensors["lines"];
  if (!(kept instanceof Uint8Array)) throw damaged('"lines" is missing or not of bytes');
  let cell = 0;
  let line = 0;
  const shapes = terms.map((term): Shape => {
    const heights = [term.height, term.width];
    for (const feature of term.features) {
      if (feature >= features.length) {
        throw damaged(`it reads feature ${feature}, but the schema has ${features.length}`);
      }
    }
    const isPair = term.features.length === 2;
    const lines = !isPair
      ? []
      : term.features.map((feature, i) => {
          const count = bins[feature].valueBins + 1;
          const own = kept.slice(line, line + count);
          line += count;
          if (own.length !== count || own.some((each) => each >= heights[i])) {
            throw damaged('"lines" does not fit its terms');
          }
          return own;
        });
    if (!isPair && (term.width !== 1 || term.height !== bins[term.features[0]].valueBins + 1)) {
      throw damaged("a term has other cells than its feature has bins");
    }
    const from = cell;
    cell += term.height * term.width;
    return {
      ...term,
      lines,
      values: values.slice(from * outputs, cell * outputs),
      deviations: deviations.slice(from * outputs, cell * outputs),
      covers: covers.slice(from, cell),
    };
  });
  const counted = [
    ["values", values, cell * outputs],
    ["deviations", deviations, cell * outputs],
    ["covers", covers, cell],
  ] as const;
  for (const [name, { length }, wanted] of counted) {
    if (length !== wanted) throw damaged(`"${name}" needs ${wanted} numbers`);
  }
  return new GamModel(task, { base, shapes, bins, facts });
}

const damaged = (what: string): Error => new Error(`The stored gam model is damaged: ${what}.`);
