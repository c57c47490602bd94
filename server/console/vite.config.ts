/** The console's build: hashed files that the server serves from its own origin. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/**
 * What pdf.js loads by name where a page has JPEG 2000 or JBIG2 images: its decoders as plain JavaScript,
 * since the content security policy allows no WebAssembly. The server has them at `assets/pdfjs-<version>/`.
 */
function pdfDecoders(): Plugin {
  return {
    name: "pdf-decoders",
    generateBundle() {
      const manifest = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
      const { version } = JSON.parse(readFileSync(manifest, "utf8"));
      for (const name of ["jbig2_nowasm_fallback.js", "openjpeg_nowasm_fallback.js"]) {
        this.emitFile({
          type: "asset",
          fileName: `assets/pdfjs-${version}-${name}`,
          source: readFileSync(join(dirname(manifest), "wasm", name)),
        });
      }
    },
  };
}

export default defineConfig({
  plugins: [pdfDecoders()],
  // Files find each other wherever they lie; the server says in the page where that is.
  base: "./",
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
