import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createTestHttp, type TestHttp } from "../../../testing/http-service.ts";
import { router } from "../routing/trpc.ts";

const PAGE = "<!doctype html><script>let theme = 1;</script><p>The engine</p>";

describe("the engine's reference", () => {
  let folder: string;
  let http: TestHttp;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "distillery-reference-"));
    http = await createTestHttp(router({}), [], { referenceFolder: folder });
  });

  afterEach(async () => {
    await http.app.close();
    await rm(folder, { recursive: true });
  });

  async function writePages(): Promise<void> {
    await mkdir(join(folder, "html/assets"), { recursive: true });
    await writeFile(join(folder, "html/index.html"), PAGE);
    await writeFile(join(folder, "html/assets/main.js"), "let app;");
    await writeFile(join(folder, "secret.html"), "of nobody's concern");
  }

  it("serves the pages that are there, which run their own scripts and no others", async () => {
    await writePages();
    const page = await http.app.inject("/docs/engine/");
    expect([page.statusCode, page.body]).toEqual([200, PAGE]);
    const digest = createHash("sha256").update("let theme = 1;").digest("base64");
    expect(page.headers["content-security-policy"]).toContain(
      `script-src 'self' 'sha256-${digest}';`,
    );
    const script = await http.app.inject("/docs/engine/assets/main.js");
    expect([script.statusCode, script.body]).toEqual([200, "let app;"]);
    expect(script.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const bare = await http.app.inject("/docs/engine");
    expect([bare.statusCode, bare.headers.location]).toEqual([308, "engine/"]);
  });

  it("serves nothing beside them", async () => {
    await writePages();
    for (const path of [
      "none.html",
      "assets",
      "../secret.html",
      "%2e%2e/secret.html",
      "..%2fsecret.html",
    ]) {
      const { statusCode } = await http.app.inject(`/docs/engine/${path}`);
      expect([path, statusCode]).toEqual([path, 404]);
    }
  });

  it("follows when they are written anew", async () => {
    await writePages();
    expect((await http.app.inject("/docs/engine/assets/main.js")).statusCode).toBe(200);
    await rm(join(folder, "html/assets"), { recursive: true });
    expect((await http.app.inject("/docs/engine/assets/main.js")).statusCode).toBe(404);
  });

  it("has them made at the first visit where they are not there", async () => {
    const module = `
      import { mkdirSync, writeFileSync } from "node:fs";
      mkdirSync(import.meta.dirname + "/html");
      writeFileSync(import.meta.dirname + "/html/index.html", ${JSON.stringify(PAGE)});`;
    await writeFile(join(folder, "build.ts"), module);
    const first = await http.app.inject("/docs/engine/");
    expect([first.statusCode, first.headers["retry-after"]]).toEqual([503, "3"]);
    expect(first.body).toContain("is being made");
    await expect.poll(async () => (await http.app.inject("/docs/engine/")).body).toBe(PAGE);
    expect(http.unexpected).toEqual([]);
  });

  it("says what to do where they cannot be made, and does not try again", async () => {
    await writeFile(join(folder, "build.ts"), "process.exit(3);");
    await http.app.inject("/docs/engine/");
    await expect.poll(() => http.unexpected).toHaveLength(1);
    const page = await http.app.inject("/docs/engine/");
    expect(page.statusCode).toBe(503);
    expect(page.body).toContain("npx -y pnpm@12 reference");
    await http.app.inject("/docs/engine/");
    expect(http.unexpected).toHaveLength(1);
  });
});
