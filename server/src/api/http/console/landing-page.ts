/** What `/` says to programs, and to everybody while the console is not built. */

const MISSING = `<h2>The console is not built</h2>
<p>In the folder of the service, <code>npx -y pnpm@12 build:console</code> builds it; then load this page again. \
The service itself works without it.</p>
`;

interface Landing {
  readonly isBuilt: boolean;
  /** Under which browsers find the service; empty, or `/some/path`. */
  readonly basePath: string;
}

export const landingPage = ({ isBuilt, basePath }: Landing): Buffer =>
  Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Distillery</title>
<style>
body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 12vh auto; padding: 0 1rem; color: #1b1f24; background: #fff; }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #16181c; } a { color: #8ab4ff; } }
code { font-size: .95em; }
</style>
</head>
<body>
<h1>Distillery</h1>
<p>Model training, distillation, prediction and explanation as one service.</p>
${isBuilt ? "" : MISSING}<ul>
<li><a href="${basePath}/docs">API documentation</a></li>
<li><a href="${basePath}/openapi.json">OpenAPI document</a></li>
<li><a href="${basePath}/docs/engine/">Reference of the engine, for TypeScript</a></li>
<li><a href="${basePath}/healthz">Alive?</a> <a href="${basePath}/readyz">Ready?</a></li>
</ul>
<p>Operations live under <code>/v1</code> and, for TypeScript clients, <code>/trpc</code>.</p>
</body>
</html>
`);
