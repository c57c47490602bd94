/** A model of this engine as a teacher. */

import { tableFromMatrix } from "../data/records.ts";
import { DataError } from "../data/table.ts";
import type { Model } from "../model/model.ts";
import type { ModelPredictions } from "../model/predictions.ts";
import { placeOfClass } from "../tasks/class-names.ts";
import { outputCount, type Task } from "../tasks/index.ts";
import { stepsOfSamples } from "./samples.ts";
import { type Teacher, TeacherError, type TeacherSamples } from "./teacher.ts";

/** Rows of one question: enough that a call costs little beside its rows. */
const BATCH_ROWS = 4096;

/**
 * A loaded model as a teacher of the calling thread. What it is asked fails with a TeacherError where it cannot read the
 * rows, or its task or classes are not the student's.
 *
 * @param name for people; default `model`
 */
export function modelTeacher(model: Model, name = "model"): Teacher {
  const { document } = model;
  return {
    name,
    columns: document.columns.map((column) => column.name),
    batchRows: BATCH_ROWS,
    bytes: document.files.reduce((sum, file) => sum + file.bytes, 0),
    async predict(samples: TeacherSamples): Promise<Float64Array> {
      const order = classOrder(name, document.task, samples.task);
      let predictions: ModelPredictions;
      try {
        const rows = stepsOfSamples(samples.rows);
        const { table } = tableFromMatrix(samples.featureNames, rows, model.inputs);
        predictions = model.predict(table);
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        throw new TeacherError(`The teacher ${name} cannot read the rows: ${error.message}`, error);
      }
      return inOrder(predictions.values, outputCount(document.task), order);
    },
  };
}

/**
 * For each class of the student, its place among the teacher's.
 *
 * @throws TeacherError where their tasks or classes differ
 */
export function classOrder(name: string, teacher: Task, student: Task): readonly number[] {
  if (teacher.kind !== student.kind) {
    throw new TeacherError(
      `The teacher ${name} was trained for ${teacher.kind}, but this run is ${student.kind}.`,
    );
  }
  const places = student.classes.map((label) => placeOfClass(teacher.classes, label));
  const unknown = places.filter((place) => place < 0);
  const extra = teacher.classes.filter((_, place) => !places.includes(place));
  if (unknown.length + extra.length > 0) {
    throw new TeacherError(
      `The teacher ${name} knows the classes ${listed(teacher.classes)}, but the label of this run has ${listed(student.classes)}.`,
    );
  }
  return places;
}

/**
 * Predictions of a teacher in the order of the student's classes.
 *
 * @param outputs 1: of two classes, the second's probability
 */
export function inOrder(
  values: Float64Array,
  outputs: number,
  order: readonly number[],
): Float64Array {
  if (order.every((place, index) => place === index)) return values;
  if (outputs === 1) return values.map((value) => 1 - value);
  return values.map((_, at) => values[at - (at % outputs) + order[at % outputs]]);
}

function listed(classes: readonly string[]): string {
  const shown = classes.slice(0, 10).map((label) => JSON.stringify(label));
  return classes.length > 10 ? `${shown.join(", ")}, …` : shown.join(", ");
}
