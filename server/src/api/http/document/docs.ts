/** `/openapi.json`, and the readable page at `/docs` (Swagger UI, all of it served from here). */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { FastifyInstance } from "fastify";
import { JSON_TYPE } from "../bodies/answer.ts";
import type { OpenApiDocument } from "./openapi.ts";
import { sendPage } from "./page.ts";

const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Distillery API</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" href="/docs/favicon-32x32.png">
</head>
<body>
<p style="font: 14px system-ui, sans-serif; text-align: right; margin: 1rem"><a href="/docs/engine/">Reference of the engine, for TypeScript</a></p>
<div id="page"></div>
<noscript>This page needs JavaScript; the document itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const DOCS_START = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  persistAuthorization: false,
  validatorUrl: null,
  displayRequestDuration: true,
  docExpansion: "list",
});
`;

interface Page {
  readonly path: string;
  readonly type: string;
  readonly content: () => Buffer;
}

const text = (path: string, type: string, content: string): Page => ({
  path,
  type,
  content: () => Buffer.from(content),
});

/** Files of the swagger-ui-dist package, read when first asked for. */
function assets(): Page[] {
  const folder = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
  const files = [
    ["swagger-ui.css", "text/css; charset=utf-8"],
    ["swagger-ui-bundle.js", "text/javascript; charset=utf-8"],
    ["favicon-32x32.png", "image/png"],
  ] as const;
  return files.map(([file, type]) => ({
    path: `/docs/${file}`,
    type,
    content: () => readFileSync(join(folder, file)),
  }));
}

/**
 * @param documentOf called once, when the document is first asked for: a start need not wait for it
 * @param basePath under which browsers find the service; empty, or `/some/path`
 */
export function mountDocs(
  app: FastifyInstance,
  documentOf: () => OpenApiDocument,
  basePath: string,
): void {
  const based = (page: string): string =>
    page
      .replaceAll('"/docs/', `"${basePath}/docs/`)
      .replaceAll('"/openapi', `"${basePath}/openapi`);
  const html = "text/html; charset=utf-8";
  const pages = [
    text("/docs", html, based(DOCS_PAGE)),
    text("/docs/start.js", "text/javascript; charset=utf-8", based(DOCS_START)),
    {
      path: "/openapi.json",
      type: JSON_TYPE,
      content: () => Buffer.from(JSON.stringify(documentOf())),
    },
    ...assets(),
  ];
  for (const page of pages) {
    let content: Buffer | null = null;
    app.route({
      method: ["GET", "HEAD"],
      url: page.path,
      handler: (request, reply) => {
        content ??= page.content();
        return sendPage(request, reply, page.type, content);
      },
    });
  }
}
