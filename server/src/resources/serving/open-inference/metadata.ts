/** Models and endpoints as the Open Inference Protocol describes them. */

import { z } from "zod";
import type { Answering } from "./targets.ts";

const tensorSchema = z.object({
  name: z.string(),
  datatype: z.string().describe("Of the tensors that are sent; any numeric one is taken for FP64."),
  shape: z.array(z.int()).describe("-1 = as many as there are rows."),
  parameters: z
    .object({ elements: z.array(z.string()) })
    .optional()
    .describe("What the elements of a row are: classes, bounds, or levels."),
});

export const modelMetadataSchema = z.object({
  name: z.string(),
  versions: z.array(z.string()).describe("The ids of the models that answer."),
  platform: z.literal("distillery"),
  inputs: z
    .array(tensorSchema)
    .describe(
      "The columns; each may be left out, which makes it missing. In place of numeric columns there may be one tensor of the shape [rows, numeric columns], in this order.",
    ),
  outputs: z.array(tensorSchema),
});

type Tensor = z.infer<typeof tensorSchema>;

const DATATYPES: Readonly<Record<string, string>> = { numeric: "FP64", boolean: "BOOL" };

/** @param models that answer, the first of which says what the answers are */
export function metadataOf(
  name: string,
  models: readonly { readonly id: string; readonly answering: Answering }[],
): z.infer<typeof modelMetadataSchema> {
  const columns = new Map<string, string>();
  for (const { answering } of models) {
    for (const column of answering.columns) columns.set(column.name, column.kind);
  }
  const [first] = models;
  return {
    name,
    versions: models.map(({ id }) => id),
    platform: "distillery",
    inputs: [...columns].map(([column, kind]) => ({
      name: column,
      datatype: DATATYPES[kind] ?? "BYTES",
      shape: [-1],
    })),
    outputs: first ? outputsOf(first.answering) : [],
  };
}

function outputsOf({ task, classes, hasUncertainty }: Answering): Tensor[] {
  const column = (name: string, datatype: string): Tensor => ({ name, datatype, shape: [-1] });
  const table = (name: string, datatype: string, elements: readonly string[]): Tensor => ({
    name,
    datatype,
    shape: [-1, elements.length],
    parameters: { elements: [...elements] },
  });
  const subject = [
    ...(task.sequence_column ? [column("id", "BYTES")] : []),
    ...(task.horizon ? [column("series", "BYTES"), column("time", "BYTES")] : []),
  ];
  if (classes.length > 0) {
    return [
      ...subject,
      column("label", "BYTES"),
      table("probabilities", "FP64", classes),
      ...(hasUncertainty ? [table("set", "BOOL", classes)] : []),
    ];
  }
  return [
    ...subject,
    column("value", "FP64"),
    ...(hasUncertainty || task.horizon ? [table("interval", "FP64", ["lower", "upper"])] : []),
    // Of forecasts the levels may be the usual ones, which the request does not say.
    ...(task.horizon && !task.quantiles
      ? [{ name: "quantiles", datatype: "FP64", shape: [-1, -1] }]
      : []),
    ...(task.quantiles ? [table("quantiles", "FP64", task.quantiles.map(String))] : []),
  ];
}
