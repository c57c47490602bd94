/** For programs that run the service themselves. Clients want `@distillery/server/client`. */

export { type App, createApp } from "./app.ts";
export { type Config, ConfigError, parseConfig } from "./config.ts";
export { createLogger, type Logger } from "./log.ts";
export { openPlatform, type Platform } from "./platform.ts";
export type { AppRouter } from "./router.ts";
export { startWorkers } from "./workers.ts";
