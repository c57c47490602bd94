/**
 * What is said of students when their models are finished: how true they are to the teacher (a
 * part of the card), and how much faster they are (a part of the log, since a clock measured it).
 */

import type { Fidelity, StudentFidelity, StudentSpeed } from "../../distill/fidelity.ts";
import { readSamples } from "../../distill/samples.ts";
import { type Teacher, TeacherError } from "../../distill/teacher.ts";
import { baselineFamily } from "../../families/index.ts";
import { DOCUMENT_PATH, parseModelDocument } from "../../model/document.ts";
import { outputCount } from "../../tasks/index.ts";
import { readModelFile } from "../log/store.ts";
import type { OpenRun } from "../open-run.ts";
import { SAMPLE } from "../plan/teach.ts";
import type { BaselineInput, FidelityTaskInput, TimingInput } from "../pool-tasks/fidelity-task.ts";
import {
  PREDICTIONS,
  packPredictions,
  selectionArtifact,
  unpackPredictions,
} from "../pool-tasks/fold-artifact.ts";

/** The baseline's out-of-fold predictions, the same for all models of the run. */
const BASELINE = `${PREDICTIONS}baseline`;

/** Of the selection's model; null for a run without a teacher. */
export async function fidelityOfModel(
  driver: OpenRun,
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
    about: aboutOf(outputCount(run.task), baselineFamily(run.task.kind).title),
  };
}

/** Honest about what each had seen: a teacher may well have learned the very rows it is judged on. */
function aboutOf(outputs: number, family: string): string {
  return [
    "Rows of the data, each predicted by a student that had learned from neither it nor a row made from it.",
    "Whether the teacher was trained on these rows is not known here. If it was, its own score on them flatters it, the share of its lift that is kept is understated, and a student may know a little of their labels through its answers for other rows.",
    `The baseline (${family}) learned the true labels with default settings, cross-fitted by the same folds.${outputs > 1 ? " Correlation and difference are over the probabilities of all classes." : ""}`,
  ].join(" ");
}

/** Measures the models that the log does not know the speed of, where the teacher is at hand. */
export async function measureStudents(driver: OpenRun): Promise<void> {
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
 * Teacher and student predict the same rows in turns; the least time of each counts. What it takes
 * to ask the teacher is part of its time.
 */
async function measureStudent(
  driver: OpenRun,
  teacher: Teacher,
  model: number,
  signal: AbortSignal,
): Promise<StudentSpeed> {
  const { store } = driver.options;
  const samples = readSamples(await store.getArtifact(SAMPLE));
  const rows = samples.rows.length;
  const files: Record<string, Uint8Array> = {};
  const { files: listed } = parseModelDocument(await readModelFile(store, DOCUMENT_PATH, model));
  for (const path of [DOCUMENT_PATH, ...listed.map((file) => file.path)]) {
    files[path] = await readModelFile(store, path, model);
  }
  let studentSeconds = Number.POSITIVE_INFINITY;
  let teacherSeconds = Number.POSITIVE_INFINITY;
  try {
    for (let turn = 0; turn < REPEATS; turn++) {
      const started = performance.now();
      await teacher.predict(samples, signal);
      teacherSeconds = Math.min(teacherSeconds, (performance.now() - started) / 1000);
      const seconds = await driver.compute<TimingInput, number>("timeModel", { files, samples });
      studentSeconds = Math.min(studentSeconds, seconds);
    }
  } catch (error) {
    driver.throwIfCancelled();
    if (!(error instanceof TeacherError)) throw error;
    return { rows, studentSeconds: null, teacherSeconds: null, reason: error.message };
  }
  return { rows, studentSeconds, teacherSeconds, reason: null };
}
