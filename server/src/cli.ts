/** Runs the service's command: as it was bundled of these very sources, or else the sources themselves. */

import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { bundlesOf, currentBundle } from "./bundle.ts";

const bundle = currentBundle();
if (bundle === null) await import("./command.ts");
else {
  // Stack traces name the lines of the sources.
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(join(bundlesOf(), bundle.folder, "command.js")).href);
}
