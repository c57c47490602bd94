/**
 * A model of one boosted ensemble in the text format of LightGBM (version v4), which LightGBM loads as
 * its own. Splits compare the bins' edges; sets of categories are bit sets over codes.
 */

import type { Feature } from "../../data/encoded.ts";
import { shown } from "../../data/shown.ts";
import { MARGIN_EPSILON } from "../../ensemble/margins.ts";
import type { TreesFormula } from "../../families/formula.ts";
import type { Model } from "../../model/model.ts";
import type { ModelParts, PartOfModel } from "../../model/parts.ts";
import { hasClasses, outputCount, typeOf } from "../../tasks/index.ts";
import { ExportError } from "../export-error.ts";
import { constantTree, type FeatureCodes, treeText } from "./tree-text.ts";

/**
 * Writes a model of a single member as LightGBM's model file, for `lightgbm.Booster(model_file=…)`.
 *
 * Its features are the columns in the order of `model.document.schema.columns`, spaces and JSON's
 * punctuation in their names replaced by `_`. A category is its place in that column's `categories`; those
 * beyond the last are unknown ones, and NaN is missing. A data frame whose columns are of the
 * dtype `category` is coded by LightGBM itself. What it predicts are values or probabilities; the
 * threshold between two classes is not part of the format, and is in `model.document.threshold`.
 *
 * @returns the text of the file; equal models give equal texts
 * @throws {ExportError} where the format cannot say the model, in words that name what it cannot
 */
export function exportLightGbm(model: Model): string {
  const parts = model.parts();
  const member = onlyMember(parts);
  const formula = treesOf(parts, member);
  const features = featuresOf(parts, formula);
  const { scale, shifts } = calibrationOf(parts, member, formula);
  const outputs = formula.base.length;
  const { bins } = parts;
  const codes = features.map(
    ({ feature, index }): FeatureCodes => ({
      bins: bins[member.encoder][index],
      categories: feature.kind === "categorical" ? feature.categories.length : 0,
    }),
  );
  const place = new Map(features.map(({ index }, at) => [index, at]));
  const derived = new Map(formula.derived?.map((column, j) => [parts.features.length + j, column]));
  const ofOutput = Array.from({ length: outputs }, (): number[] => []);
  formula.trees.treeOutput.forEach((output, tree) => {
    ofOutput[output].push(tree);
  });
  const rounds = Math.max(1, ...ofOutput.map(({ length }) => length));
  const texts: string[] = [];
  for (let round = 0; round < rounds; round++) {
    for (let k = 0; k < outputs; k++) {
      const shift = round === 0 ? scale * formula.base[k] + shifts[k] : 0;
      const tree = ofOutput[k][round];
      const text =
        tree === undefined
          ? constantTree(shift)
          : treeText(formula.trees, tree, { place, codes, derived, scale, shift });
      texts.push(`Tree=${texts.length}\n${text}\n\n`);
    }
  }
  const names = safeNames(features.map(({ feature }) => feature.name));
  const categories = features.flatMap(({ feature }) =>
    feature.kind === "categorical" ? [feature.categories] : [],
  );
  return [
    "tree",
    "version=v4",
    `num_class=${outputs}`,
    `num_tree_per_iteration=${outputs}`,
    "label_index=0",
    `max_feature_idx=${names.length - 1}`,
    `objective=${objectiveOf(parts)}`,
    `feature_names=${names.join(" ")}`,
    `feature_infos=${codes.map(infoOf).join(" ")}`,
    `tree_sizes=${texts.map((text) => text.length).join(" ")}`,
    "",
    `${texts.join("")}end of trees`,
    "",
    "feature_importances:",
    "",
    "parameters:",
    "end of parameters",
    "",
    `pandas_categorical:${JSON.stringify(categories)}`,
    "",
  ].join("\n");
}

function refused(reason: string): ExportError {
  return new ExportError(`LightGBM's format cannot say the model: ${reason}`);
}

const SINGLE =
  "Train with `ensemble: false` and the family gbdt alone, or distil it into a student of that family.";

function onlyMember({ document, members }: ModelParts): PartOfModel {
  if (typeOf(document.task).framing !== null) {
    throw refused(`it predicts from several rows (${document.task.kind}), and LightGBM from one.`);
  }
  const weighed = members.filter(({ weight }) => weight !== 0);
  if (weighed.length > 1) {
    const families = [...new Set(weighed.map(({ family }) => family))].join(", ");
    throw refused(`it blends ${weighed.length} members (${families}). ${SINGLE}`);
  }
  if (document.layer !== null) throw refused(`a layer weighs its member. ${SINGLE}`);
  return weighed[0];
}

function treesOf({ document, features }: ModelParts, member: PartOfModel): TreesFormula {
  const formula = member.model.formula?.(features);
  if (formula?.kind !== "trees" || formula.sums !== "margins") {
    throw refused(`its family ${member.family} is none whose trees add up to margins. ${SINGLE}`);
  }
  if (document.task.quantiles) {
    throw refused(`it predicts ${document.task.quantiles.length} quantiles, put in order by row.`);
  }
  return formula;
}

interface ReadFeature {
  readonly feature: Feature;
  /** Of the schema's features. */
  readonly index: number;
}

/** One a column; times and texts become several numbers, which the format cannot compute. */
function featuresOf({ document, features }: ModelParts, { trees }: TreesFormula): ReadFeature[] {
  const read = new Set(trees.feature);
  const computed = new Map(
    document.schema.columns
      .filter(({ kind }) => kind === "timestamp" || kind === "text")
      .map(({ name, kind }) => [name, kind]),
  );
  return features.flatMap((feature, index) => {
    const kind = computed.get(feature.column);
    if (kind === undefined) return [{ feature, index }];
    if (!read.has(index)) return [];
    throw refused(
      `it reads ${shown(feature.name)}, which is computed from the ${kind} column ${shown(feature.column)}; LightGBM takes numbers and categories alone.`,
    );
  });
}

/** What margins are multiplied by and, an output each, shifted by. */
interface Calibrating {
  readonly scale: number;
  readonly shifts: readonly number[];
}

function calibrationOf(
  { document }: ModelParts,
  { calibration, weight }: PartOfModel,
  formula: TreesFormula,
): Calibrating {
  const outputs = formula.base.length;
  if (calibration === null) {
    // The one member of an average has the weight 1.
    const scale = hasClasses(document.task) ? 1 : weight;
    return { scale, shifts: new Array<number>(outputs).fill(0) };
  }
  if (calibration.kind === "isotonic") {
    throw refused("its probabilities go through isotonic curves. Train without them, or use ONNX.");
  }
  // Probabilities within 1e-6 of 0 or 1 are cut off before they are scaled, which no tree can do.
  const { scale, bias } = calibration;
  const ranges = marginRanges(formula);
  const highest = Math.max(...ranges.map(({ high }) => high));
  const lowest = Math.min(...ranges.map(({ low }) => low));
  const bound = Math.log(1 / MARGIN_EPSILON - 1);
  const within =
    outputs === 1
      ? highest <= bound && lowest >= -bound
      : highest - lowest <= bound - Math.log(outputs);
  if (!within) {
    throw refused(
      "its probabilities are calibrated by a temperature, before which those within 1e-6 of 0 and 1 are cut off, and its trees reach there. Use ONNX.",
    );
  }
  return { scale, shifts: new Array<number>(outputs).fill(bias) };
}

/** What the sums of each output lie within, whatever the row. */
function marginRanges({ trees, base }: TreesFormula): { low: number; high: number }[] {
  const ranges = Array.from(base, (value) => ({ low: value, high: value }));
  for (const [tree, output] of trees.treeOutput.entries()) {
    let [low, high] = [Infinity, -Infinity];
    for (let node = trees.treeStarts[tree]; node < trees.treeStarts[tree + 1]; node++) {
      if (trees.feature[node] >= 0) continue;
      low = Math.min(low, trees.value[node]);
      high = Math.max(high, trees.value[node]);
    }
    ranges[output].low += low;
    ranges[output].high += high;
  }
  return ranges;
}

function objectiveOf({ document: { task } }: ModelParts): string {
  const { link } = typeOf(task);
  if (link === "identity") return "l2";
  return link === "logit" ? "binary sigmoid:1" : `multiclass num_class:${outputCount(task)}`;
}

function infoOf({ bins: { edges }, categories }: FeatureCodes): string {
  if (categories > 0) return Array.from({ length: categories }, (_, code) => code).join(":");
  return edges.length === 0 ? "[0:0]" : `[${edges[0]}:${edges[edges.length - 1]}]`;
}

/** Names without what LightGBM takes for a separator; those that are then alike are numbered. */
function safeNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const plain = name.replace(/[\s",:[\]{}=]|[^\x20-\x7e]/g, "_") || "_";
    let unique = plain;
    for (let i = 2; taken.has(unique); i++) unique = `${plain}_${i}`;
    taken.add(unique);
    return unique;
  });
}
