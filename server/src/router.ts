/** The root of the API: every resource's router, and the routes that are not JSON. */

import { objectDownload } from "./api/http/bodies/object-download.ts";
import type { RawRoute } from "./api/http/routing/raw-route.ts";
import { router } from "./api/http/routing/trpc.ts";
import { ALL_KINDS, DATASET_USERS, JOB_KINDS, LINEAGE, MODEL_KINDS, MODEL_USERS } from "./kinds.ts";
import { apiKeysRouter, organizationRouter } from "./resources/api-keys/router.ts";
import { scopesRouter } from "./resources/api-keys/scopes.ts";
import { auditRouter } from "./resources/audit/router.ts";
import { createBatchPrediction } from "./resources/batch-predictions/create-route.ts";
import { batchPredictionsRouter } from "./resources/batch-predictions/router.ts";
import { objectStoresRouter } from "./resources/connectors/objstore-router.ts";
import { warehousesRouter } from "./resources/connectors/warehouse-router.ts";
import { datasetRoute } from "./resources/datasets/profiled.ts";
import { datasetsRouter } from "./resources/datasets/router.ts";
import { uploadDataset } from "./resources/datasets/upload.ts";
import { uploadPart } from "./resources/datasets/uploads/part-route.ts";
import { uploadsRouter } from "./resources/datasets/uploads/router.ts";
import { agenticRouter } from "./resources/documents/agentic-router.ts";
import { documentContent } from "./resources/documents/content.ts";
import {
  predictDocumentsByEndpoint,
  predictDocumentsRoute,
} from "./resources/documents/predicting/routes.ts";
import { documentsRouter } from "./resources/documents/router.ts";
import { uploadDocuments } from "./resources/documents/upload.ts";
import { evaluationReport } from "./resources/evaluations/report-route.ts";
import { evaluationsRouter } from "./resources/evaluations/router.ts";
import { jobEvents } from "./resources/jobs/event-stream.ts";
import { jobResult } from "./resources/jobs/result.ts";
import { jobsRouter } from "./resources/jobs/router.ts";
import {
  archiveRoute,
  cardRoute,
  lightGbmRoute,
  onnxRoute,
} from "./resources/models/export-routes.ts";
import { leaderboardRouter } from "./resources/models/leaderboard/router.ts";
import { registryRouter } from "./resources/models/registry/router.ts";
import { modelsRouter } from "./resources/models/router.ts";
import { explainRoute, predictRoute } from "./resources/models/rows-routes.ts";
import { exportQuery } from "./resources/queries/export-route.ts";
import { queriesRouter } from "./resources/queries/router.ts";
import { previewTable, runQuery } from "./resources/queries/routes.ts";
import { retentionRouter } from "./resources/retention/router.ts";
import { serviceRouter } from "./resources/service/router.ts";
import { openInferenceRoutes } from "./resources/serving/open-inference/routes.ts";
import { servingRouter } from "./resources/serving/router.ts";
import { explainByEndpoint, predictByEndpoint } from "./resources/serving/rows-routes.ts";
import { sessionRouter } from "./resources/sessions/router.ts";
import { tablesRouter } from "./resources/tables/router.ts";
import { connectorUsers, tablesWithin } from "./resources/tables/service.ts";
import { comparisonsRouter } from "./resources/training/comparison/router.ts";
import { jobReport, linkedReport } from "./resources/training/report-routes.ts";
import { trainingRouter } from "./resources/training/router.ts";
import { catalogsRouter } from "./resources/workspaces/catalogs.ts";
import { workspacesRouter } from "./resources/workspaces/router.ts";
import { schemasRouter } from "./resources/workspaces/schemas.ts";
import { advanceWorkspace, lockWorkspace } from "./resources/workspaces/service.ts";
import { statementsRouter } from "./resources/workspaces/statements/router.ts";

const connectorOwner = {
  usersOf: connectorUsers,
  lock: lockWorkspace,
  changed: advanceWorkspace,
};

export const appRouter = router({
  organization: organizationRouter,
  apiKeys: apiKeysRouter,
  scopes: scopesRouter,
  session: sessionRouter,
  audit: auditRouter,
  service: serviceRouter,
  workspaces: workspacesRouter,
  catalogs: catalogsRouter(tablesWithin),
  schemas: schemasRouter(tablesWithin),
  tables: tablesRouter,
  objectStoreConnectors: objectStoresRouter(connectorOwner),
  warehouseConnectors: warehousesRouter(connectorOwner),
  queries: queriesRouter,
  statements: statementsRouter,
  datasets: datasetsRouter({ jobKinds: JOB_KINDS, others: DATASET_USERS }, LINEAGE),
  uploads: uploadsRouter,
  documents: documentsRouter,
  agentic: agenticRouter,
  training: trainingRouter(MODEL_KINDS),
  models: modelsRouter(MODEL_KINDS, { jobKinds: JOB_KINDS, others: MODEL_USERS }, LINEAGE),
  comparisons: comparisonsRouter(MODEL_KINDS),
  registry: registryRouter(MODEL_USERS),
  leaderboard: leaderboardRouter,
  serving: servingRouter(MODEL_KINDS),
  batchPredictions: batchPredictionsRouter,
  evaluations: evaluationsRouter(MODEL_KINDS),
  jobs: jobsRouter(JOB_KINDS),
  retention: retentionRouter(ALL_KINDS),
});

/** For TypeScript clients: `@distillery/client` is typed by it. */
export type AppRouter = typeof appRouter;

export const rawRoutes: readonly RawRoute[] = [
  runQuery,
  exportQuery,
  previewTable,
  uploadDataset,
  uploadPart,
  datasetRoute,
  uploadDocuments,
  documentContent,
  predictDocumentsRoute(MODEL_KINDS),
  predictDocumentsByEndpoint(MODEL_KINDS),
  predictRoute(MODEL_KINDS),
  explainRoute(MODEL_KINDS),
  onnxRoute(MODEL_KINDS),
  lightGbmRoute(MODEL_KINDS),
  cardRoute(MODEL_KINDS),
  archiveRoute(MODEL_KINDS),
  predictByEndpoint(MODEL_KINDS),
  explainByEndpoint(MODEL_KINDS),
  ...openInferenceRoutes(MODEL_KINDS),
  createBatchPrediction(MODEL_KINDS),
  jobResult(JOB_KINDS),
  jobEvents(JOB_KINDS),
  jobReport,
  evaluationReport,
  linkedReport,
  objectDownload,
];
