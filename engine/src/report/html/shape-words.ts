/** What is said of shape functions, on the report's page and elsewhere. */

import type { ShapesSection } from "../shapes-document.ts";
import { figure, percent, plural, shortened } from "./format.ts";

/** What shapes add up in, as the title of an axis. */
export function shapeUnit(
  { space, of }: Pick<ShapesSection, "space" | "of">,
  label: string,
): string {
  switch (space) {
    case "identity":
      return `adds to ${shortened(label, 40)}`;
    case "logit":
      return `log-odds of ${shortened(of[0] ?? label, 30)}`;
    case "log_softmax":
      return "adds to the margin of the class";
  }
}

/** Sentences over all shapes: whose they are, how to read them, and what is left out. */
export function shapesNote(section: ShapesSection, label: string): string {
  const { family, weight, others, terms, termsLeftOut, pairs, pairsLeftOut, outputsLeftOut } =
    section;
  const whose =
    weight < 1
      ? `Of the member ${family} with ${percent(weight, 0)} of the model's weight${
          others > 0 ? `, the heaviest of ${others + 1} like it` : ""
        }.`
      : "They are the whole model.";
  const said = section.space === "identity" ? shortened(label, 40) : "its margin";
  const kept = [
    termsLeftOut > 0 ? plural(termsLeftOut, "feature") : "",
    pairsLeftOut > 0 ? plural(pairsLeftOut, "pair") : "",
    outputsLeftOut > 0 ? plural(outputsLeftOut, "class", "classes") : "",
  ].filter((each) => each !== "");
  return `${whose} A prediction is a constant and what each of ${plural(terms.length + termsLeftOut, "feature")}${
    pairs.length > 0 ? ` and ${plural(pairs.length + pairsLeftOut, "pair")} of features` : ""
  } adds to ${said} by itself. Over the training rows each shape's mean is 0. Bands and whiskers are one standard deviation over the bags that were averaged. They are ordered by mean size${
    kept.length > 0 ? `; not drawn, as the smallest: ${kept.join(", ")}` : ""
  }.`;
}

/** What one term's drawing shows. */
export function termSays({
  steps,
  levels,
  levelsLeftOut,
  size,
}: ShapesSection["terms"][number]): string {
  const mean = `Mean size ${figure(size)}.`;
  if (steps) return `${mean} Below it, in grey, how the training rows are spread.`;
  return `${mean} At the right each category's share of the training rows${
    levelsLeftOut > 0
      ? `; the ${levels?.length ?? 0} most frequent, and ${levelsLeftOut} more are not drawn`
      : ""
  }.`;
}

/** The numbers of one term, a row a cell. */
export function termRows(
  { steps = [], levels = [], missing }: ShapesSection["terms"][number],
  of: readonly string[],
): { readonly heads: string[]; readonly rows: string[][] } {
  const isSteps = steps.length > 0;
  const rowOf = (
    name: string,
    { weight, values, deviations }: NonNullable<ShapesSection["terms"][number]["missing"]>,
  ): string[] => [
    name,
    ...values.flatMap((value, k) => [figure(value), figure(deviations[k])]),
    percent(weight),
  ];
  const named = of.length > 1 ? of.map((name) => shortened(name, 40)) : ["Adds"];
  return {
    heads: [
      isSteps ? "Up to" : "Category",
      ...named.flatMap((name) => [name, `${name}, ±`]),
      "Rows",
    ],
    rows: [
      ...steps.map(({ to, ...cell }) => rowOf(to === null ? "above" : figure(to), cell)),
      ...levels.map(({ name, ...cell }) =>
        rowOf(name === null ? "(rarer ones)" : shortened(name, 60), cell),
      ),
      ...(missing ? [rowOf("(missing)", missing)] : []),
    ],
  };
}
