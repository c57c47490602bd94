/**
 * The engine's public API: read a table, train on it, load the model, predict and explain.
 *
 * ```ts
 * const run = await train(
 *   { path: "bikes.csv", format: "csv" },
 *   { task: { taskKind: "regression", labelColumn: "cnt" }, nTrials: 10 },
 *   { folder: "bikes-run" },
 * );
 * const { values } = run.model.predict(table);
 * ```
 */

export type {
  ExplainOutput,
  PredictedTable,
  PredictOutput,
  Question,
} from "./answers/answer.ts";
export { explainRows, predictRows, tableOfRows } from "./answers/checked-answer.ts";
export {
  type AdditiveAnswer,
  type ExplainedKey,
  type ExplanationAnswer,
  type ExplanationAnswers,
  explanationsOf,
  type OverTimeAnswer,
  type SegmentAnswer,
} from "./answers/explanations.ts";
export {
  type PredictionAnswer,
  type PredictionAnswers,
  predictionsOf,
} from "./answers/predictions.ts";
export {
  asksForForecasts,
  cellFaults,
  forecastFault,
  modelFault,
  type RowFault,
} from "./answers/row-faults.ts";
export {
  type ForecastRows,
  type Rows,
  type RowsKind,
  rowsKindOf as rowsKindOfModel,
} from "./answers/rows.ts";
export type {
  AnnouncedDevice,
  AnnouncedDevices,
  DeviceState,
  ScarceDevice,
} from "./compute/gpu/announced-devices.ts";
export type { DeviceLender, DeviceLoan, LentDevice } from "./compute/gpu/device-loan.ts";
export {
  DEVICES,
  type DeviceName,
  type DeviceSettings,
} from "./compute/gpu/device-settings.ts";
export {
  ComputePool,
  type PoolOptions,
  type ReviveError,
  revived,
  TaskFailedError,
  task,
} from "./compute/pool.ts";
export { describeThrown, type ThrownError } from "./compute/thrown.ts";
export {
  type ConformalPart,
  HIGHEST_LEVEL,
  type Intervals,
  LOWEST_LEVEL,
  type Sets,
  type UncertaintyCard,
} from "./conformal/index.ts";
export { type BoundFilter, bindFilter } from "./data/filter/bind-filter.ts";
export type { FilterNode } from "./data/filter/filter-node.ts";
export { filterSchema } from "./data/filter/filter-schema.ts";
export { type Implausible, implausibleCounts, type ValueCounts } from "./data/implausible.ts";
export {
  type ColumnProfile,
  HISTOGRAM_BINS,
  histogramEdges,
  type NumberSummary,
  QUANTILES,
  TOP_VALUES,
  wholeWidth,
} from "./data/profile.ts";
export { checkNames, closestNames, theClosest } from "./data/readers/column-names.ts";
export { DataLimitError, READ_LIMITS, type ReadLimits } from "./data/readers/read-limits.ts";
export { type ReadTableOptions, readTable, readTableFromFile } from "./data/readers/read-table.ts";
export { TABLE_FORMATS, type TableFormat } from "./data/readers/reading.ts";
export { repeatedMember, writtenMembers } from "./data/readers/repeated-members.ts";
export { kindOfTexts } from "./data/readers/text-inference.ts";
export { type Row, tableFromMatrix, tableFromRecords } from "./data/records.ts";
export {
  COLUMN_KINDS,
  type Column,
  type ColumnKind,
  type ColumnSchema,
  DataError,
  type Table,
} from "./data/table.ts";
export { takeRows } from "./data/table-rows.ts";
export { classOrder, inOrder, modelTeacher } from "./distill/model-teacher.ts";
export { stepsOfSamples } from "./distill/samples.ts";
export {
  AUGMENTED_PER_ROW,
  type DistillSettings,
  distillSchema,
  MOST_AUGMENTED_ROWS,
} from "./distill/settings.ts";
export {
  type Teacher,
  type TeacherCell,
  TeacherError,
  type TeacherSamples,
} from "./distill/teacher.ts";
export {
  type CountedPredictions,
  type Distribution,
  DriftCounter,
  type DriftReference,
  lengthOfCounts,
  parseDriftReference,
  placesOf,
  rowsNeeded,
  SHIFT_LIMITS,
  stabilityIndex,
} from "./drift/index.ts";
export { type EvaluationRequest, evaluate } from "./evaluation/evaluate.ts";
export { type Evaluation, evaluationSchema } from "./evaluation/evaluation-document.ts";
export {
  type EvaluationProgress,
  type EvaluationStage,
  newProgressWords,
  readProgress,
} from "./evaluation/evaluation-progress.ts";
export type { EvaluationInput, EvaluationOutput } from "./evaluation/evaluation-task.ts";
export {
  compareOutOfFold,
  type HeldOutPredictions,
  type OutOfFoldComparison,
  type OutOfFoldRequest,
  readHeldOut,
} from "./evaluation/out-of-fold.ts";
export { evaluationPage } from "./evaluation/page.ts";
export {
  type AnswerScores,
  type AnswersToScore,
  type LabelledAnswer,
  scoreAnswers,
} from "./evaluation/score-answers.ts";
export { ExportError } from "./export/export-error.ts";
export { exportLightGbm } from "./export/lightgbm/export-lightgbm.ts";
export { exportOnnx } from "./export/onnx/export-onnx.ts";
export {
  FAMILIES,
  familiesFor,
  familyById,
  familyForLibrary,
  familyIdOf,
  PLANNED_FAMILIES,
} from "./families/index.ts";
export type { BlendExplanation } from "./model/blend-explanation.ts";
export { type ModelCard, type ModelDocument, parseModelDocument } from "./model/document.ts";
export type { ArrowTable, ArrowVector, ModelRows } from "./model/given-rows.ts";
export { joinPredictions } from "./model/joined-predictions.ts";
export { loadModel } from "./model/load-read.ts";
export type { Model, PredictOptions } from "./model/model.ts";
export { modelFolder } from "./model/model-folder.ts";
export { ModelFormatError } from "./model/model-format-error.ts";
export type { ModelPredictions } from "./model/predictions.ts";
export type { SegmentContribution, SegmentExplanation } from "./model/segment-explanation.ts";
export { modelCardPage } from "./report/card/card-page.ts";
export {
  buildModelCard,
  type CardKeeper,
  type ModelCardDocument,
  modelCardSchema,
} from "./report/card/model-card.ts";
export { type RunReport, reportSchema } from "./report/document.ts";
export type { ParameterEffect, ParameterImportance } from "./report/fanova/parameter-importance.ts";
export { studyImportance } from "./report/study/study-importance.ts";
export { type StudyPageOptions, studyPage } from "./report/study/study-page.ts";
export { REPORT_HTML, REPORT_JSON, writeReport } from "./report/write-report.ts";
export { parameterValueSchema } from "./search/index.ts";
export {
  type Parameter,
  type Parameters,
  type ParameterValue,
  type SearchSpace,
  SearchSpaceError,
} from "./search/space.ts";
export type {
  MedianPruner,
  PrunerOptions,
  SuccessiveHalvingPruner,
} from "./search/study/pruners.ts";
export {
  type Direction,
  type OptimizeOptions,
  type RunningTrial,
  Study,
  type StudyOptions,
  type StudyRecord,
  type StudyTrial,
} from "./search/study/study.ts";
export type { StudyReport } from "./search/study/study-reports.ts";
export { placeOfClass } from "./tasks/class-names.ts";
export {
  COLUMN_ROLES,
  type ColumnRole,
  clashOfRoles,
  columnRoles,
  type NamedColumns,
} from "./tasks/column-roles.ts";
export { METRICS, metricNameOf, metricsFor } from "./tasks/fitting-metrics.ts";
export {
  answerSchema,
  fieldOfAnotherKind,
  hasClasses,
  missingField,
  outputCount,
  TASK_FIELDS,
  TASK_KINDS,
  type Task,
  type TaskKind,
  taskType,
  typeOf,
} from "./tasks/index.ts";
export { MERGED_CLASS } from "./tasks/labelled-rows.ts";
export {
  type TrainedRun,
  type TrainingProgress,
  type TrainingRun,
  type TrainOptions,
  train,
} from "./train.ts";
export {
  MAX_PRIOR_RUNS,
  MAX_PRIOR_TRIALS,
  matrixRowSchema,
  type PriorRun,
  type RunConfig,
  type RunConfigInput,
  runConfigMembers,
  runConfigSchema,
  studentConfig,
  taskConfigSchema,
} from "./trainer/config/config.ts";
export { AllTrialsFailedError, ConfigError, RunCancelledError } from "./trainer/config/errors.ts";
export { DEFAULT_TRIALS, presetOf } from "./trainer/config/presets.ts";
export type { LoggedEvent } from "./trainer/log/event-migrations.ts";
export type {
  ModelFile,
  ParetoSummary,
  RunEvent,
  RunPlan,
  SavedModel,
  Selection,
} from "./trainer/log/events.ts";
export { makeFolder } from "./trainer/log/make-folder.ts";
export { foldEvents, type RunState, type TrialState } from "./trainer/log/state.ts";
export {
  FolderRunStore,
  MemoryRunStore,
  modelOfArtifact,
  modelPrefix,
  type RunStore,
  readModelFile,
} from "./trainer/log/store.ts";
export type { RunOptions } from "./trainer/open-run.ts";
export { continuedConfig, prepareRun } from "./trainer/plan/prepare.ts";
export type {
  PlanInput,
  StoredTableFile,
  TableFile,
  UploadedFile,
} from "./trainer/plan/run-table.ts";
export type { Teaching } from "./trainer/plan/teach.ts";
export { selectionArtifact } from "./trainer/pool-tasks/fold-artifact.ts";
export { HELD_OUT_ROWS } from "./trainer/pool-tasks/held-out-rows.ts";
export { bestTrial, progressOf, type RunProgress } from "./trainer/progress.ts";
export { RunDriver } from "./trainer/run.ts";
export { withDevice } from "./trees/with-device.ts";
export { type Inspection, type ProfileRecord, profileRecord } from "./worker/inspect.ts";
export {
  explain,
  loadOnce,
  type ModelTaskInput,
  predict,
  rowsKindOf,
} from "./worker/model-task.ts";
export { createPool, reviveError, reviveThrown } from "./worker/pool.ts";
