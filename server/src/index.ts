/** For programs that run the service themselves. Clients want `@distillery/client`. */

export { openServices, type Services } from "./api/services.ts";
export { type App, createApp } from "./app.ts";
export { type Config, parseConfig } from "./platform/config.ts";
export { createLogger, type Logger } from "./platform/log.ts";
export { StartupError } from "./platform/startup-error.ts";
export type { AppRouter } from "./router.ts";
export { startWorkers } from "./workers.ts";
