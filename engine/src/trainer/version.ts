/** The engine's version, as model cards record it. */

import manifest from "../../package.json" with { type: "json" };

export const ENGINE_VERSION: string = manifest.version;
