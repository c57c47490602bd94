/** Runs the service's command: as it was bundled of these very sources, or else the sources themselves. */

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundlesOf, currentBundle } from "./bundle.ts";
import { nameSources } from "./source-stacks.ts";

const bundle = currentBundle();
if (bundle === null) await import("./command.ts");
else {
  const folder = join(bundlesOf(), bundle.folder);
  nameSources(folder);
  await import(pathToFileURL(join(folder, "command.js")).href);
}
