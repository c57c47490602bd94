/** The root of the API: every resource's router, and the routes that are not JSON. */
import { apiKeysRouter, organizationRouter } from "./auth/router.ts";
import { datasetsRouter } from "./datasets/router.ts";
import { uploadDataset } from "./datasets/upload.ts";
import { objectDownload } from "./http/object-download.ts";
import type { RawRoute } from "./http/raw-route.ts";
import { router } from "./http/trpc.ts";
import { modelsRouter } from "./models/router.ts";
import { jobEvents } from "./training/event-stream.ts";
import { trainingRouter } from "./training/router.ts";

export const appRouter = router({
  organization: organizationRouter,
  apiKeys: apiKeysRouter,
  datasets: datasetsRouter,
  training: trainingRouter,
  models: modelsRouter,
});

/** For TypeScript clients: `createClient` in `client.ts` is typed by it. */
export type AppRouter = typeof appRouter;

export const rawRoutes: readonly RawRoute[] = [uploadDataset, jobEvents, objectDownload];
