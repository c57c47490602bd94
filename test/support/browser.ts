/** Pages in a headless Chromium. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/** As strict as a page with WebAssembly can be; and nothing isolates it across origins. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

/**
 * Serves a folder, opens a page of it, and waits until the page has posted its result to `/result`.
 *
 * @returns what was posted
 */
export async function resultOfPage(browser: string, folder: string, page: string): Promise<string> {
  const posted = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? "/", "http://here").pathname);
    if (request.method === "POST") {
      const parts: Buffer[] = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => {
        response.end();
        posted.resolve(Buffer.concat(parts).toString());
      });
      return;
    }
    try {
      const body = readFileSync(join(folder, path));
      response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
      response.setHeader("content-security-policy", POLICY);
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : null;
  const profile = mkdtempSync(join(tmpdir(), "chromium-"));
  const child = spawn(
    browser,
    [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      `--user-data-dir=${profile}`,
      `http://127.0.0.1:${port}/${page}`,
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let said = "";
  child.stderr.on("data", (part) => {
    said += part;
  });
  const ended = once(child, "exit");
  child.on("error", posted.reject);
  void ended.then(() => posted.reject(new Error(`The browser ended: ${said}`)));
  try {
    return await posted.promise;
  } finally {
    child.kill("SIGKILL");
    await ended;
    server.closeAllConnections();
    server.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
