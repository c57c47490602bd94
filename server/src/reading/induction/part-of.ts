/**
 * Whether of two findings in one document, of texts or names, one is a part of the other, as
 * `Springfield` is of `Springfield, IL`. How far a value reaches is then a question of which finding is
 * surer, and no contradiction.
 */

import type { Finding } from "./inducer.ts";
import { comparingKey } from "./values/same-value.ts";
import { type ValueKind, WORDED } from "./values/value.ts";

/** Elsewhere in the document, a part must be this much of the whole to be the same. */
const LEAST_PART = 0.5;

/** Whether one is a part of the other. */
export function isPart(kind: ValueKind, a: Finding, b: Finding): boolean {
  if (typeof a.normal !== "string" || typeof b.normal !== "string") return false;
  const [short, long] = a.end - a.start <= b.end - b.start ? [a, b] : [b, a];
  if (short.text === "") return false;
  const isWithin = long.start <= short.start && short.end <= long.end;
  if (isWithin && long.text.includes(short.text)) return WORDED.has(kind) || kind === "identifier";
  if (!WORDED.has(kind)) return false;
  const [part, whole] = [short, long].map(({ normal }) => ` ${comparingKey(kind, normal)} `);
  return (
    part!.trim() !== "" && whole!.includes(part!) && part!.length >= LEAST_PART * whole!.length
  );
}
