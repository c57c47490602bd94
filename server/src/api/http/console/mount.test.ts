import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestHttp, type TestHttp } from "../../../testing/http-service.ts";
import { rawRoute } from "../routing/raw-route.ts";
import { router } from "../routing/trpc.ts";

const PAGE = '<!doctype html><script type="module" src="/assets/main-a1.js"></script>';
const SCRIPT = "let application = 1;";
const VISIT = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; " +
  "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; " +
  "object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

const widget = rawRoute({
  operation: { method: "POST", path: "/v1/widgets", summary: "Make", tags: ["Widgets"] },
  scope: null,
  responses: { 200: { description: "Made" } },
  handler: async () => ({ json: {} }),
});

describe("the console", () => {
  let folder: string;
  let http: TestHttp;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "distillery-console-"));
    const consoleFolder = join(folder, "dist");
    http = await createTestHttp(router({}), [widget], {
      consoleFolder,
      corsOrigins: ["https://app.example.com"],
    });
  });
  afterEach(async () => {
    await http.app.close();
    await rm(folder, { recursive: true });
  });

  const get = (url: string, headers: Record<string, string> = {}) =>
    http.app.inject({ url, headers });

  async function build(): Promise<void> {
    const assets = join(folder, "dist/assets");
    await mkdir(assets, { recursive: true });
    await writeFile(join(folder, "dist/index.html"), PAGE);
    await writeFile(join(folder, "secret.js"), "of nobody's concern");
    await writeFile(join(assets, "main-a1.js"), SCRIPT);
    await writeFile(join(assets, "main-a1.js.br"), brotliCompressSync(SCRIPT));
    await writeFile(join(assets, "main-a1.js.gz"), gzipSync(SCRIPT));
  }

  it("is the page of every address that is no route of the service, for whoever visits it", async () => {
    await build();
    for (const path of ["/", "/sign-in", "/data/sales/orders", "/runs/7?trial=3", "/v1x"]) {
      const page = await get(path, VISIT);
      expect([path, page.statusCode, page.body]).toEqual([path, 200, PAGE]);
      expect(page.headers).toMatchObject({
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": POLICY,
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",
        "cache-control": "no-cache",
        vary: "Origin, accept, accept-encoding",
      });
      const known = { ...VISIT, "if-none-match": String(page.headers.etag) };
      expect((await get(path, known)).statusCode).toBe(304);
    }
    const head = await http.app.inject({ method: "HEAD", url: "/train", headers: VISIT });
    expect([head.statusCode, head.headers["content-length"]]).toEqual([200, String(PAGE.length)]);
  });

  it("takes nothing from those who call the service", async () => {
    await build();
    for (const [path, headers] of [
      ["/train", {}],
      ["/train", { accept: "*/*" }],
      ["/train", { accept: "application/json" }],
      ["/v1/none", VISIT],
      ["/v1", VISIT],
      ["/v2/none", VISIT],
      ["/docs/none", VISIT],
      ["/assets/none.js", VISIT],
      ["/assets/", VISIT],
    ] as const) {
      const answer = await get(path, headers);
      expect([path, answer.statusCode]).toEqual([path, 404]);
      expect(answer.headers["content-type"]).toContain("application/problem+json");
    }
    const wrongMethod = await get("/v1/widgets", VISIT);
    expect([wrongMethod.statusCode, wrongMethod.headers.allow]).toEqual([405, "POST"]);
    const posted = await http.app.inject({ method: "POST", url: "/train", headers: VISIT });
    expect(posted.statusCode).toBe(404);
    const landing = await get("/");
    expect([landing.statusCode, landing.headers["vary"]]).toEqual([200, "Origin, accept"]);
    expect(landing.body).toContain('href="/docs"');
    expect(landing.body).not.toContain("build:console");
  });

  it("is found below the path of the public URL, whether a proxy keeps it or not", async () => {
    await build();
    await writeFile(join(folder, "dist/index.html"), PAGE.replace('"/assets', '"./assets'));
    const below = await createTestHttp(router({}), [widget], {
      consoleFolder: join(folder, "dist"),
      publicUrl: "https://host.example.com/some/path",
    });
    const at = (url: string, headers = {}) => below.app.inject({ url, headers });
    for (const path of ["/", "/some/path", "/some/path/", "/some/path/data?x=1", "/data"]) {
      const page = await at(path, VISIT);
      expect([path, page.statusCode]).toEqual([path, 200]);
      expect(page.body).toContain('src="/some/path/assets/main-a1.js"');
    }
    for (const path of ["/some/path/assets/main-a1.js", "/assets/main-a1.js"]) {
      expect([path, (await at(path)).body]).toEqual([path, SCRIPT]);
    }
    expect((await at("/some/path/docs")).body).toContain('src="/some/path/docs/start.js"');
    expect((await at("/docs/start.js")).body).toContain('"/some/path/openapi.json"');
    expect((await at("/some/path/openapi.json")).json().servers).toEqual([
      { url: "https://host.example.com/some/path" },
    ]);
    expect((await at("/some/path/")).body).toContain('href="/some/path/docs"');
    expect((await at("/some/pathway/docs")).statusCode).toBe(404);
    await below.app.close();
    await writeFile(join(folder, "dist/index.html"), PAGE.replace('"/assets', '"./assets'));
    expect((await get("/data", VISIT)).body).toBe(PAGE);
  });

  it("sends files that are kept for ever, in the coding that the client prefers", async () => {
    await build();
    for (const [accepted, coding, bytes] of [
      ["gzip, deflate, br, zstd", "br", brotliCompressSync(SCRIPT)],
      ["br;q=0, *", "gzip", gzipSync(SCRIPT)],
      ["gzip", "gzip", gzipSync(SCRIPT)],
      ["identity", undefined, Buffer.from(SCRIPT)],
    ] as const) {
      const file = await get("/assets/main-a1.js", { "accept-encoding": accepted });
      expect([file.statusCode, file.headers["content-encoding"]]).toEqual([200, coding]);
      expect(file.rawPayload).toEqual(bytes);
      expect(file.headers).toMatchObject({
        "content-type": "text/javascript; charset=utf-8",
        "cache-control": "public, max-age=31536000, immutable",
        // Of origins that may call the service, beside what the file itself depends on.
        vary: "Origin, accept-encoding",
        "x-content-type-options": "nosniff",
      });
    }
    await writeFile(join(folder, "dist/assets/lib-1.2-decoder.js"), SCRIPT);
    const named = await get("/assets/lib-1.2/decoder.js");
    expect([named.statusCode, named.body]).toEqual([200, SCRIPT]);
    for (const name of [
      "../../secret.js",
      "..%2f..%2fsecret.js",
      "%2e%2e/index.html",
      ".js",
      "lib-1.2/%2e%2e",
    ]) {
      expect([name, (await get(`/assets/${name}`)).statusCode]).toEqual([name, 404]);
    }
  });

  it("says how it is built where it is not, and is there once it is", async () => {
    const landing = await get("/", VISIT);
    expect(landing.statusCode).toBe(200);
    expect(landing.body).toContain("pnpm@12 build:console");
    const view = await get("/train", VISIT);
    expect([view.statusCode, view.body]).toEqual([503, landing.body]);
    expect((await get("/train")).statusCode).toBe(404);
    await build();
    expect((await get("/train", VISIT)).body).toBe(PAGE);
  });
});
