/** Columns of series that forecasts are made without, since no family of the run, or none of the model, reads them. */

import { shownNames } from "../../data/shown.ts";
import type { StepColumnKind } from "../../families/family.ts";
import { FAMILIES, familyById } from "../../families/index.ts";
import type { StepColumns } from "../../tasks/framing.ts";
import type { Facts, RunPlan } from "../log/events.ts";

export function unreadColumns(
  columns: StepColumns,
  { matrix, leftOut }: Pick<RunPlan, "matrix" | "leftOut">,
): string[] {
  return KINDS.flatMap((kind) => {
    const names = columns[kind];
    if (names.length === 0 || matrix.some(({ family }) => reads(family, kind))) return [];
    const them = names.length === 1 ? "it" : "them";
    const readers = FAMILIES.filter(({ id }) => reads(id, kind)).map(({ id }) => id);
    const why = leftOut.filter(({ family }) => readers.includes(family));
    return [
      `None of the families of this run reads ${shownNames(names)}, ${CALLED[kind]}: forecasts are made without ${them}. ${
        why.length > 0
          ? `Families that do were left out: ${why.map(({ family, reason }) => `${family} (${reason})`).join(" ")}`
          : `Families that do: ${readers.join(", ")}.`
      }`,
    ];
  });
}

/**
 * @param known columns that are known in advance
 * @param members families of the model
 * @param tried families of which a trial was scored
 */
export function unreadByModel(
  known: readonly string[],
  members: readonly string[],
  tried: ReadonlySet<string>,
  { matrix }: Pick<RunPlan, "matrix">,
): string[] {
  const readers = [...new Set(matrix.map(({ family }) => family))].filter((family) =>
    reads(family, "known"),
  );
  const isRead = members.some((family) => reads(family, "known"));
  if (known.length === 0 || isRead || readers.length === 0) return [];
  const untried = readers.filter((family) => !tried.has(family));
  const why =
    untried.length < readers.length
      ? "families that do were tried, and scored worse than those that know the past alone"
      : `no trial of a family that does was run to its end (${untried.join(", ")})`;
  return [`None of the model's members reads ${shownNames(known)}, ${CALLED.known}: ${why}.`];
}

/** A member that could weigh columns, and what its fits say of it. */
export interface Member {
  readonly family: string;
  readonly facts: readonly Facts[];
}

/**
 * Of members that read the columns and had too few steps to say what they add.
 *
 * @param known columns that are known in advance
 */
export function unweighedByModel(known: readonly string[], members: readonly Member[]): string[] {
  const isUnweighed = ({ facts }: Member): boolean =>
    facts.length > 0 && facts.every(({ unestimated_terms: terms = 0 }) => Number(terms) > 0);
  const unweighed = members.filter(isUnweighed);
  if (known.length === 0 || unweighed.length === 0) return [];
  const others = members.filter((member) => reads(member.family, "known") && !isUnweighed(member));
  const families = [...new Set(unweighed.map(({ family }) => family))].join(", ");
  const them = known.length === 1 ? "it" : "them";
  return [
    `What ${shownNames(known)}, ${CALLED.known}, ${known.length === 1 ? "adds" : "add"} could not be estimated: there are too few steps for so many columns and categories. ${
      others.length > 0 ? `Members of the family ${families} forecast` : "Forecasts are made"
    } without ${them}. Give more steps, or fewer columns known in advance.`,
  ];
}

const KINDS: readonly StepColumnKind[] = ["known", "past", "static"];
const CALLED: Readonly<Record<StepColumnKind, string>> = {
  known: "known in advance",
  past: "known of the past",
  static: "of one value a series",
};

function reads(family: string, kind: StepColumnKind): boolean {
  return familyById(family)?.readsOfSteps?.includes(kind) ?? false;
}
