/**
 * Bundles the service into `server/dist`, where the last bundle is not of the sources that lie here:
 * docs/decisions/service-bundle.md.
 */

import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  bundlesOf,
  currentBundle,
  digestOf,
  lastBundle,
  noteOf,
  type ServiceBundle,
} from "../server/src/bundle.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Read by every build, beside the modules. */
const SETTINGS = [
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  "scripts/build-service.ts",
  "scripts/packages/bundle-service.ts",
  "scripts/packages/started-modules.ts",
  "tsconfig.json",
];

const bundles = bundlesOf();
const lastNote = noteOf();

/** Bundles are kept so long for servers that run. */
const KEPT_MS = 24 * 60 * 60 * 1000;

const changedAt = (file: string): number => statSync(file).mtimeMs;

/** Two at the same time each make their own; the last to be done is taken. */
async function buildService(): Promise<void> {
  if (currentBundle() !== null) return;
  const began = Date.now();
  const last = lastBundle();
  mkdirSync(bundles, { recursive: true });
  const folder = mkdtempSync(join(bundles, "bundle-"));
  try {
    chmodSync(folder, 0o755);
    // Loaded where it is needed: it takes longer to start than to find that nothing has changed.
    const { bundleService } = await import("./packages/bundle-service.ts");
    const { sources: modules, packages } = await bundleService(folder);
    const sources = [...SETTINGS, ...modules];
    const digest = digestOf(sources);
    const now = Date.now();
    const times = sources.map((path) => changedAt(join(root, path)));
    if (digest === null || times.some((time) => began <= time && time <= now)) {
      throw new Error("The sources changed while they were bundled.");
    }
    const made: ServiceBundle = { digest, folder: basename(folder), sources, packages };
    const note = join(folder, basename(lastNote));
    writeFileSync(note, JSON.stringify(made));
    renameSync(note, lastNote);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  removeOld(new Set([basename(lastNote), basename(folder), last?.folder]), began);
}

function removeOld(kept: ReadonlySet<string | undefined>, now: number): void {
  for (const name of readdirSync(bundles)) {
    const path = join(bundles, name);
    if (kept.has(name) || changedAt(path) > now - KEPT_MS) continue;
    rmSync(path, { recursive: true, force: true });
  }
}

try {
  await buildService();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error("The service could not be bundled: it runs from its sources, and starts slower.");
}
