/** The root of the API: every resource's router, and the routes that are not JSON. */
import { apiKeysRouter, organizationRouter } from "./auth/router.ts";
import { objectStoresRouter } from "./connectors/objstore-router.ts";
import { warehousesRouter } from "./connectors/warehouse-router.ts";
import { datasetRoute } from "./datasets/profiled.ts";
import { datasetsRouter } from "./datasets/router.ts";
import { uploadDataset } from "./datasets/upload.ts";
import { agenticRouter } from "./documents/agentic-router.ts";
import { documentContent } from "./documents/content.ts";
import { documentsRouter } from "./documents/router.ts";
import { uploadDocuments } from "./documents/upload.ts";
import { objectDownload } from "./http/object-download.ts";
import type { RawRoute } from "./http/raw-route.ts";
import { router } from "./http/trpc.ts";
import { jobEvents } from "./jobs/event-stream.ts";
import { jobResult } from "./jobs/result.ts";
import { jobsRouter } from "./jobs/router.ts";
import { JOB_KINDS, MODEL_KINDS } from "./kinds.ts";
import { modelsRouter } from "./models/router.ts";
import { explainRoute, predictRoute } from "./models/rows-routes.ts";
import { queriesRouter } from "./queries/router.ts";
import { previewTable, runQuery } from "./queries/routes.ts";
import { tablesWithin } from "./tables/occupancy.ts";
import { tablesRouter } from "./tables/router.ts";
import { connectorUsers } from "./tables/service.ts";
import { jobReport, linkedReport } from "./training/report-routes.ts";
import { trainingRouter } from "./training/router.ts";
import { catalogsRouter } from "./workspaces/catalogs-router.ts";
import { workspacesRouter } from "./workspaces/router.ts";
import { schemasRouter } from "./workspaces/schemas-router.ts";
import { advanceWorkspace } from "./workspaces/service.ts";

const connectorOwner = { usersOf: connectorUsers, changed: advanceWorkspace };

export const appRouter = router({
  organization: organizationRouter,
  apiKeys: apiKeysRouter,
  workspaces: workspacesRouter,
  catalogs: catalogsRouter(tablesWithin),
  schemas: schemasRouter(tablesWithin),
  tables: tablesRouter,
  objectStoreConnectors: objectStoresRouter(connectorOwner),
  warehouseConnectors: warehousesRouter(connectorOwner),
  queries: queriesRouter,
  datasets: datasetsRouter(JOB_KINDS),
  documents: documentsRouter,
  agentic: agenticRouter,
  training: trainingRouter,
  models: modelsRouter(MODEL_KINDS, JOB_KINDS),
  jobs: jobsRouter(JOB_KINDS),
});

/** For TypeScript clients: `createClient` in `client.ts` is typed by it. */
export type AppRouter = typeof appRouter;

export const rawRoutes: readonly RawRoute[] = [
  runQuery,
  previewTable,
  uploadDataset,
  datasetRoute,
  uploadDocuments,
  documentContent,
  predictRoute(MODEL_KINDS),
  explainRoute(MODEL_KINDS),
  jobResult(JOB_KINDS),
  jobEvents(JOB_KINDS),
  jobReport,
  linkedReport,
  objectDownload,
];
