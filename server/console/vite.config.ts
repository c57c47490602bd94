/** The console's build: hashed files that the server serves from its own origin. */
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    target: "es2022",
    // The content security policy allows no data: scripts or styles; what is small stays a file.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The drawing library is larger, and comes with the first chart alone.
    chunkSizeWarningLimit: 900,
    rolldownOptions: {
      onLog(level, log, tell) {
        // Libraries mark what runs in a client; all of this does.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") tell(level, log);
      },
    },
  },
  // `vite` alone serves the sources beside a service that listens on the usual port.
  server: {
    proxy: Object.fromEntries(
      ["/v1", "/v2", "/trpc", "/docs", "/openapi.json"].map((path) => [
        path,
        `http://127.0.0.1:${process.env["PORT"] ?? 8080}`,
      ]),
    ),
  },
});
