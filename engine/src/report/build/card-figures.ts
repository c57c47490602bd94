/** Lines of figures from a model's card: how its intervals or sets held, how true it is to a teacher. */

import type { StudentSpeed } from "../../distill/fidelity.ts";
import type { ModelCard } from "../../model/document.ts";
import type { ParetoSummary } from "../../trainer/log/events.ts";
import type { RunReport } from "../document.ts";

type Figures = NonNullable<RunReport["uncertainty"]>;
const CLASSES = 10;

type Line = Figures["figures"][number];

export function uncertaintyFigures({
  uncertainty,
}: Pick<ModelCard, "uncertainty">): Figures | null {
  if (!uncertainty) return null;
  const { kind, coverage, measured, meanWidth, meanSize, byClass, warnings } = uncertainty;
  const sets = kind === "set";
  return {
    note: [
      `Conformal ${sets ? "prediction sets" : "intervals"} that come with every prediction; measured on held-out data, which they were not fitted on.`,
      ...warnings,
    ].join(" "),
    figures: [
      { name: "nominal coverage", value: coverage },
      ...line("measured coverage", measured),
      ...line("mean width of the intervals", meanWidth),
      ...line("mean number of classes in a set", meanSize),
      ...leastCovered(byClass ?? {}).flatMap(([name, share]) =>
        line(`measured coverage of ${name}`, share),
      ),
    ],
  };
}

/** The classes that are held least often. */
function leastCovered(byClass: Readonly<Record<string, number | null>>): [string, number][] {
  return Object.entries(byClass)
    .flatMap(([name, share]): [string, number][] => (share === null ? [] : [[name, share]]))
    .sort((a, b) => a[1] - b[1])
    .slice(0, CLASSES);
}

export function distillationFigures(
  { fidelity }: ModelCard,
  speed: StudentSpeed | undefined,
): Figures | null {
  if (!fidelity) return null;
  const { lift, scores } = fidelity;
  const seconds = (name: string, value: number | null | undefined): Line[] =>
    line(name, value && speed ? (1000 * value) / (speed.rows / 1000) : null);
  return {
    note: `${fidelity.about} ${speed?.reason ?? ""}`.trim(),
    figures: [
      { name: "teacher", value: fidelity.teacher },
      { name: "rows compared", value: fidelity.rows },
      { name: "augmented rows it learned from", value: fidelity.augmentedRows },
      ...line("correlation with the teacher", fidelity.correlation),
      ...line("agreement with the teacher's class", fidelity.agreement),
      ...line("root mean squared difference to the teacher", fidelity.difference),
      ...line("Kullback–Leibler divergence, nats", fidelity.divergence),
      ...line("score of the student", scores.student),
      ...line("score of the teacher", scores.teacher),
      ...line("score of a linear model", scores.baseline),
      ...line("share of the teacher's lift kept", lift?.share),
      ...line("its 95 % interval from", lift?.low),
      ...line("to", lift?.high),
      ...seconds("student, ms for 1,000 rows", speed?.studentSeconds),
      ...seconds("teacher, ms for 1,000 rows", speed?.teacherSeconds),
      ...line("teacher, bytes", fidelity.teacherBytes),
    ],
  };
}

export function paretoFigures(summary: ParetoSummary): Figures {
  return {
    note: summary.notes.join(" "),
    figures: [
      { name: "weights tried", value: summary.weights },
      {
        name: "hypervolume, share of the box from the best to the reference",
        value: summary.hypervolume,
      },
      ...summary.metrics.flatMap((metric, i) => [
        ...line(`${metric}, best`, summary.ideal[i]),
        ...line(`${metric}, worst on the front`, summary.nadir[i]),
        ...line(`${metric}, reference`, summary.reference[i]),
      ]),
      { name: "models left out as dominated or equal", value: summary.dominated },
      { name: "models left out to limit their number", value: summary.bounded },
    ],
  };
}

function line(name: string, value: number | null | undefined): Line[] {
  return value === null || value === undefined || !Number.isFinite(value) ? [] : [{ name, value }];
}
