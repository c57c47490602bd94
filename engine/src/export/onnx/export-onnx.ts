/**
 * A model as one ONNX graph: encoding, members, calibration, combination and decision. What the format
 * cannot say is refused; nothing is left out in silence but intervals and sets, which are no part of
 * the prediction.
 */

import type { FeatureBins } from "../../data/encoded.ts";
import type { MemberFormula } from "../../families/formula.ts";
import type { Model } from "../../model/model.ts";
import type { ModelParts, PartOfModel } from "../../model/parts.ts";
import { hasClasses, outputCount, typeOf } from "../../tasks/index.ts";
import { ExportError } from "../export-error.ts";
import { additiveSums } from "./additive.ts";
import { CombiningNodes } from "./combine.ts";
import { FeatureNodes } from "./encoding.ts";
import { Graph, type Value } from "./graph.ts";
import { networkSums } from "./network.ts";
import { processMargins } from "./process.ts";
import { treeSums } from "./trees.ts";

/**
 * Writes a model as ONNX (opset 17, `ai.onnx.ml` 3), which answers as the model does: the same
 * labels, and values to 1e-9 where they are near 1 (1e-5 with networks, which themselves compute in
 * single precision).
 *
 * Inputs are the columns by their names, rows × 1 each: numbers, booleans (0 and 1) and times (milliseconds
 * since 1970, UTC) as doubles in which NaN is missing, categories as strings in which the empty one is.
 * Outputs are `value` (rows × 1, doubles; of quantiles one column a level), or `label` (strings) and
 * `probabilities` (rows × classes, doubles, in the order of the classes).
 *
 * @returns the bytes of a `.onnx` file; equal models give equal bytes
 * @throws {ExportError} where the format cannot say the model, in words that name what it cannot
 */
export function exportOnnx(model: Model): Uint8Array<ArrayBuffer> {
  const parts = model.parts();
  const { document, features, bins, members } = parts;
  const { task, schema } = document;
  if (typeOf(task).framing !== null) {
    throw new ExportError(
      `ONNX can say models of single rows; this one is of the kind ${task.kind}, whose predictions are made of several rows.`,
    );
  }
  const outputs = outputCount(task);
  const graph = new Graph(schema.columns.map(({ name }) => name));
  const nodes = new FeatureNodes(graph, schema);
  const combining = new CombiningNodes(graph, outputs);
  const isClass = hasClasses(task);
  const layered = document.layer !== null && isClass;
  const summed = members
    .filter(({ weight }) => weight !== 0)
    .map((member) => {
      const formula = member.model.formula?.(features);
      if (formula === undefined) throw inexpressible(parts, member);
      const own = memberOutput(graph, nodes, combining, {
        parts,
        formula,
        encoder: member.encoder,
        bins,
      });
      const calibrated = member.calibration ? combining.calibrated(member.calibration, own) : own;
      return { weight: member.weight, value: layered ? combining.margins(calibrated) : calibrated };
    });
  const sum = combining.weighted(summed, document.layer?.intercepts ?? null);
  const result = layered ? combining.probabilities(sum) : sum;
  if (isClass) {
    graph.output(
      "label",
      "string",
      null,
      combining.label(result, task.classes, document.threshold),
    );
    const all = combining.ofEachClass(result);
    graph.output("probabilities", "double", task.classes.length, all);
  } else {
    graph.output("value", "double", outputs, result);
  }
  try {
    return graph.finish(descriptionOf(parts));
  } catch (fault) {
    if (fault instanceof RangeError) throw new ExportError(fault.message, { cause: fault });
    throw fault;
  }
}

function inexpressible({ document }: ModelParts, { family }: PartOfModel): ExportError {
  return new ExportError(
    `ONNX cannot say the model of ${document.labelColumn}: its family ${family} has no form there.`,
  );
}

interface OneMember {
  readonly parts: ModelParts;
  readonly formula: MemberFormula;
  readonly encoder: number;
  readonly bins: readonly (readonly FeatureBins[])[];
}

/** What the member predicts by itself: values or probabilities, rows × outputs. */
function memberOutput(
  graph: Graph,
  nodes: FeatureNodes,
  combining: CombiningNodes,
  { parts, formula, encoder, bins }: OneMember,
): Value {
  const { task } = parts.document;
  const { link } = typeOf(task);
  const outputs = outputCount(task);
  let sums: Value;
  if (formula.kind === "trees") {
    const trees = treeSums(graph, nodes, formula, outputs, {
      bins: bins[encoder],
      index: encoder,
    });
    sums = graph.node("Add", [trees, graph.doubles(formula.base, [1, outputs])]);
    if (formula.sums === "shares") return combining.shares(sums);
  } else if (formula.kind === "network") {
    sums = networkSums(graph, nodes, formula, outputs);
  } else if (formula.kind === "process") {
    sums = processMargins(graph, nodes, formula);
  } else {
    sums = additiveSums(graph, nodes, formula);
  }
  const predicted = combining.linked(link, sums);
  return task.quantiles ? combining.ascending(predicted) : predicted;
}

function descriptionOf({ document }: ModelParts) {
  const { task, labelColumn, threshold, card } = document;
  return {
    name: "distillery",
    version: card.environment.engine,
    description: `${typeOf(task).title} of ${labelColumn}`,
    facts: {
      task_kind: task.kind,
      label_column: labelColumn,
      ...(task.classes.length > 0 ? { classes: JSON.stringify(task.classes) } : {}),
      ...(task.quantiles ? { quantiles: JSON.stringify(task.quantiles) } : {}),
      ...(threshold === null ? {} : { threshold: String(threshold) }),
    },
  };
}
