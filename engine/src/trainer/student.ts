/**
 * What is said of students when their models are finished: how true they are to the teacher (a
 * part of the card), and how much faster they are (a part of the log, since a clock measured it).
 */

import type { Fidelity, StudentFidelity, StudentSpeed } from "../distill/fidelity.ts";
import { modelTeacher } from "../distill/model-teacher.ts";
import { type Teacher, TeacherError, type TeacherSamples } from "../distill/teacher.ts";
import { loadModel } from "../model/load.ts";
import { outputCount } from "../tasks/task.ts";
import type { BaselineInput, FidelityTaskInput } from "./fidelity-task.ts";
import {
  PREDICTIONS,
  packPredictions,
  selectionArtifact,
  unpackPredictions,
} from "./fold-artifact.ts";
import type { RunDriver } from "./run.ts";
import { readModelFile } from "./store.ts";
import { SAMPLE } from "./teach.ts";

/** The baseline's out-of-fold predictions, the same for all models of the run. */
const BASELINE = `${PREDICTIONS}baseline`;

/** Of the selection's model; null for a run without a teacher. */
export async function fidelityOfModel(
  driver: RunDriver,
  model: number,
): Promise<StudentFidelity | null> {
  const { run, config, store } = driver.options;
  const { taught } = run;
  const { teaching } = driver.plan;
  if (!taught || !teaching) return null;
  const { randomState } = config;
  const kept = await store.findArtifact(BASELINE);
  const baseline = kept
    ? unpackPredictions(kept, BASELINE)
    : await driver.compute<BaselineInput, Float64Array>("baseline", { run, randomState });
  if (!kept) await store.putArtifact(BASELINE, packPredictions(baseline));
  const name = selectionArtifact(model);
  const student = unpackPredictions(await store.getArtifact(name), name);
  const fidelity = await driver.compute<FidelityTaskInput, Fidelity>("fidelity", {
    run,
    student,
    baseline,
    randomState,
  });
  return {
    ...fidelity,
    teacher: teaching.teacher,
    teacherBytes: taught.teacherBytes,
    augmentedRows: teaching.augmentedRows,
    about: aboutOf(outputCount(run.task)),
  };
}

/** Honest about what each had seen: a teacher may well have learned the very rows it is judged on. */
function aboutOf(outputs: number): string {
  return [
    "Rows of the data, each predicted by a student that had learned neither it nor a row made of it.",
    "Whether the teacher had learned these rows is not known here. Where it had, its own score on them flatters it, the share of its lift that is kept is understated, and a student may know a little of their labels through its answers for other rows.",
    `The baseline is a linear model of the true labels with default settings, cross-fitted by the same folds.${outputs > 1 ? " Correlation and difference are over the probabilities of all classes." : ""}`,
  ].join(" ");
}

/** Measures the models that the log does not know the speed of, where the teacher is at hand. */
export async function measureStudents(driver: RunDriver): Promise<void> {
  const { teacher, signal } = driver.options;
  if (!teacher || !driver.plan.teaching) return;
  for (const model of driver.state.selections.keys()) {
    if (driver.state.speeds[model]) continue;
    const speed = await measureStudent(
      driver,
      teacher,
      model,
      signal ?? new AbortController().signal,
    );
    await driver.append({ type: "student_measured", model, speed });
  }
}

const REPEATS = 3;

/**
 * Teacher and student predict the same rows in turns; the least time of each counts. What the
 * teacher needs to be asked, a network among it, is part of its time.
 */
async function measureStudent(
  driver: RunDriver,
  teacher: Teacher,
  model: number,
  signal: AbortSignal,
): Promise<StudentSpeed> {
  const { store } = driver.options;
  const bytes = await store.getArtifact(SAMPLE);
  const samples: TeacherSamples = JSON.parse(new TextDecoder().decode(bytes));
  const student = modelTeacher(await loadModel((path) => readModelFile(store, path, model)));
  const least = { student: Number.POSITIVE_INFINITY, teacher: Number.POSITIVE_INFINITY };
  const rows = samples.rows.length;
  const time = async (who: keyof typeof least, asked: Teacher): Promise<void> => {
    const started = performance.now();
    await asked.predict(samples, signal);
    least[who] = Math.min(least[who], (performance.now() - started) / 1000);
  };
  try {
    for (let turn = 0; turn < REPEATS; turn++) {
      await time("teacher", teacher);
      await time("student", student);
    }
  } catch (error) {
    if (!(error instanceof TeacherError)) throw error;
    return { rows, studentSeconds: null, teacherSeconds: null, reason: error.message };
  }
  return { rows, studentSeconds: least.student, teacherSeconds: least.teacher, reason: null };
}
