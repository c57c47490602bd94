/** What an external teacher may answer, read strictly: a fault names the sample and what came. */

import { hasClasses, outputCount, placeOfClass, type Task } from "@distillery/engine";

/** `sample` counts from 0 within the request; null where the answer as a whole is at fault. */
export class AnswerFault extends Error {
  override readonly name = "AnswerFault";
  readonly sample: number | null;

  constructor(message: string, sample: number | null = null) {
    super(message);
    this.sample = sample;
  }
}

/** Probabilities are written with few digits: so far may their sum be from 1. */
const SUM_TOLERANCE = 0.01;
const RANGE_TOLERANCE = 1e-6;

/**
 * @param text the body of the answer
 * @returns row-major, samples × outputs: the value, the probability of the second class, or one
 *   probability a class by the order of `task.classes`, summing to 1
 * @throws AnswerFault
 */
export function readAnswer(text: string, samples: number, task: Task): Float64Array {
  const answer = parse(text);
  const { predictions, classes } = membersOf(answer);
  if (predictions.length !== samples) {
    throw new AnswerFault(
      `it answered ${count(predictions.length, "prediction")} for ${count(samples, "sample")}`,
    );
  }
  const outputs = outputCount(task);
  const values = new Float64Array(samples * outputs);
  const ofClasses = hasClasses(task);
  const places = ofClasses ? placesOf(classes, task.classes) : [];
  for (const [sample, entry] of predictions.entries()) {
    if (ofClasses) values.set(readClasses(entry, sample, task, places), sample * outputs);
    else values[sample] = readValue(entry, sample);
  }
  return values;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Python's json writes NaN and Infinity, which JSON does not have: say which sample has them.
    const patched = text.replaceAll(/([[,:]\s*)-?(?:NaN|Infinity)\b/g, "$1null");
    if (patched === text) throw new AnswerFault(`its answer is not JSON: ${excerpt(text)}`);
    try {
      return JSON.parse(patched);
    } catch {
      throw new AnswerFault(`its answer is not JSON: ${excerpt(text)}`);
    }
  }
}

function membersOf(answer: unknown): {
  readonly predictions: readonly unknown[];
  readonly classes: readonly unknown[] | null;
} {
  if (Array.isArray(answer)) return { predictions: answer, classes: null };
  const wanted = "must be {predictions: […], classes?: […]} or a list";
  if (typeof answer !== "object" || answer === null) {
    throw new AnswerFault(`its answer ${wanted}, but is ${shown(answer)}`);
  }
  const predictions: unknown = "predictions" in answer ? answer.predictions : undefined;
  const classes: unknown = "classes" in answer ? answer.classes : undefined;
  if (!Array.isArray(predictions)) {
    throw new AnswerFault(
      predictions === undefined
        ? `its answer ${wanted}, but has the members ${listed(Object.keys(answer))}`
        : `its answer's predictions must be a list, but are ${shown(predictions)}`,
    );
  }
  if (classes == null) return { predictions, classes: null };
  if (!Array.isArray(classes)) {
    throw new AnswerFault(`its answer's classes must be a list, but are ${shown(classes)}`);
  }
  return { predictions, classes: classes.length === 0 ? null : classes };
}

/** By place in the teacher's order, the place in the task's. */
function placesOf(given: readonly unknown[] | null, known: readonly string[]): readonly number[] {
  if (given === null) return known.map((_, place) => place);
  const names = given.map((name) => {
    if (["string", "number", "boolean"].includes(typeof name)) return String(name);
    throw new AnswerFault(`its answer's classes must be labels, but hold ${shown(name)}`);
  });
  const places = names.map((name) => placeOfClass(known, name));
  const unknown = places.indexOf(-1);
  if (unknown >= 0) {
    throw new AnswerFault(
      `its answer has the class ${shown(names[unknown])}, which the label does not have; it has ${listed(known)}`,
    );
  }
  const missing = known.filter((_, place) => !places.includes(place));
  if (missing.length > 0) throw new AnswerFault(`its answer's classes lack ${listed(missing)}`);
  if (names.length > known.length) throw new AnswerFault("its answer's classes name one twice");
  return places;
}

function readValue(entry: unknown, sample: number): number {
  const value: unknown = Array.isArray(entry) && entry.length === 1 ? entry[0] : entry;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new AnswerFault(`a prediction must be a finite number, but is ${shown(value)}`, sample);
}

function readClasses(
  entry: unknown,
  sample: number,
  task: Task,
  places: readonly number[],
): readonly number[] {
  const known = task.classes.length;
  const ofSecondAlone = outputCount(task) === 1;
  if (typeof entry === "number" && ofSecondAlone) {
    const ofSecond = readProbability(entry, sample);
    return [places[1] === 1 ? ofSecond : 1 - ofSecond];
  }
  if (!Array.isArray(entry)) {
    const wanted = ofSecondAlone ? "a probability, or a list of 2" : `a list of ${known}`;
    throw new AnswerFault(
      `a prediction must be ${wanted} class probabilities, but is ${shown(entry)}`,
      sample,
    );
  }
  if (entry.length !== known) {
    throw new AnswerFault(
      `it answered ${count(entry.length, "probability")} for ${known} classes`,
      sample,
    );
  }
  const given = entry.map((one) => readProbability(one, sample));
  const sum = given.reduce((total, one) => total + one, 0);
  if (Math.abs(sum - 1) > SUM_TOLERANCE) {
    throw new AnswerFault(
      `its class probabilities sum to ${Number(sum.toPrecision(6))} and not to 1`,
      sample,
    );
  }
  const ordered = new Array<number>(known).fill(0);
  for (const [at, one] of given.entries()) ordered[places[at] ?? at] = one / sum;
  return ofSecondAlone ? ordered.slice(1) : ordered;
}

function readProbability(value: unknown, sample: number): number {
  if (
    typeof value === "number" &&
    value >= -RANGE_TOLERANCE &&
    value <= 1 + RANGE_TOLERANCE // NaN fails both
  ) {
    return Math.min(1, Math.max(0, value));
  }
  throw new AnswerFault(
    `a class probability must be a number from 0 to 1, but is ${shown(value)}`,
    sample,
  );
}

const EXCERPT = 120;

/** The beginning of a text as it may stand in a message: one line, without control characters. */
export function excerpt(text: string): string {
  if (text.trim() === "") return "it is empty";
  const line = text.slice(0, 4 * EXCERPT).replaceAll(/[\p{C}\s]+/gu, " ");
  const trimmed = line.trim();
  return trimmed.length > EXCERPT || text.length > 4 * EXCERPT
    ? `'${trimmed.slice(0, EXCERPT)}…'`
    : `'${trimmed}'`;
}

function shown(value: unknown): string {
  if (value === null) return "null (or NaN)";
  if (typeof value === "string") return excerpt(value);
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" ? "an object" : String(value);
}

const NAMED = 10;

function listed(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const some = names.slice(0, NAMED).map((name) => excerpt(name));
  return names.length > NAMED
    ? `${some.join(", ")} and ${names.length - NAMED} more`
    : some.join(", ");
}

function count(number: number, what: string): string {
  const plural = what.endsWith("y") ? `${what.slice(0, -1)}ies` : `${what}s`;
  return `${number} ${number === 1 ? what : plural}`;
}
