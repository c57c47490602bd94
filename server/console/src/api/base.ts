/** Where the console lies: at the root of its origin, or below the path of the service's public URL. */

/** Built scripts are in `assets/` below it; `vite` alone serves sources at the root. */
const path = /^(.*)\/assets\/[^/]+$/.exec(new URL(import.meta.url).pathname)?.[1] ?? "";

const { origin, pathname } = globalThis.location;

/** Empty, or `/some/path`. Who comes past the proxy that knows the path is at the root. */
export const BASE_PATH = `${pathname}/`.startsWith(`${path}/`) ? path : "";

/** Of the service, without a slash at its end. */
export const SERVICE_URL = `${origin}${BASE_PATH}`;
