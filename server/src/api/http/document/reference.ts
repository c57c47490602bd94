/**
 * The engine's reference at `/docs/engine/`: the pages that `pnpm reference` writes. Where they are not
 * there, the first visit has them made by a process of its own, so that no start waits for them.
 */

import { type ChildProcess, execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setPriority } from "node:os";
import { extname, join, sep } from "node:path";
import process from "node:process";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../../platform/input/problem.ts";
import { sendPage } from "./page.ts";

/** The package that makes the pages, as `reference/` of the repository is one. */
export interface ReferencePackage {
  /** Holds `build.ts`, and `html/` once that has run. */
  readonly folder: string;
  /** The pages could not be made. */
  readonly onFailure: (error: Error) => void;
}

const ROOT = "/docs/engine/";
const BUILD_MS = 300_000;
const RELOAD_SECONDS = 3;
/** Behind everything else that this machine has to do. */
const LOW_PRIORITY = 10;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export function mountReference(app: FastifyInstance, source: ReferencePackage): void {
  const html = join(source.folder, "html");
  let building: ChildProcess | null = null;
  let hasFailed = false;

  const build = (): void => {
    building = execFile(
      process.execPath,
      [join(source.folder, "build.ts")],
      { timeout: BUILD_MS },
      (error) => {
        building = null;
        hasFailed = error !== null;
        if (error !== null) source.onFailure(error);
      },
    );
    if (building.pid !== undefined) setPriority(building.pid, LOW_PRIORITY);
  };

  const answer = (request: FastifyRequest<{ Params: { "*": string } }>, reply: FastifyReply) => {
    const name = request.params["*"] || "index.html";
    if (!existsSync(html)) {
      if (building === null && !hasFailed) build();
      reply.code(503).header("retry-after", String(RELOAD_SECONDS));
      return sendPage(request, reply, TYPES[".html"]!, waitingPage(hasFailed));
    }
    const type = TYPES[extname(name)];
    // Only what was listed is opened, so no name leads out of the folder.
    if (type === undefined || !filesOf(html).includes(name)) {
      throw new Problem("not-found", "There is nothing at this path.");
    }
    return sendPage(request, reply, type, readFileSync(join(html, name)));
  };

  app.route({
    method: ["GET", "HEAD"],
    url: ROOT.slice(0, -1),
    // Relative, for the public URL may have a path of its own.
    handler: (_request, reply) => reply.redirect("engine/", 308),
  });
  app.route({ method: ["GET", "HEAD"], url: `${ROOT}*`, handler: answer });
  app.addHook("onClose", async () => {
    building?.kill();
  });
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    name.split(sep).join("/"),
  );
}

const waitingPage = (hasFailed: boolean): Buffer =>
  Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${hasFailed ? "" : `<meta http-equiv="refresh" content="${RELOAD_SECONDS}">\n`}<title>Distillery engine</title>
</head>
<body>
<p>${
    hasFailed
      ? "The reference could not be made. In the service’s folder, <code>npx -y pnpm@12 reference</code> says why."
      : "The reference is being made from the sources, which takes some seconds. This page then shows it."
  }</p>
</body>
</html>
`);
