/** Sends a page or one of its files, with the headers that keep it to what is served from here. */

import { createHash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isKnown } from "../../masks/etag.ts";

export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  content: Buffer,
): FastifyReply {
  const etag = `"${digestOf(content)}"`;
  reply.headers({
    "content-security-policy": policyOf(type.startsWith("text/html") ? scriptsIn(content) : []),
    "referrer-policy": "no-referrer",
    etag,
    "cache-control": "no-cache",
  });
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  return reply.header("content-type", type).send(content);
}

const digestOf = (content: Buffer | string): string =>
  createHash("sha256").update(content).digest("base64url");

/** What a page's own scripts are: those that stand in it, by their digests, beside files of ours. */
function policyOf(scripts: readonly string[]): string {
  const own = scripts.map(
    (script) => ` 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  );
  return (
    `default-src 'none'; script-src 'self'${own.join("")}; style-src 'self' 'unsafe-inline'; ` +
    "img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; " +
    "base-uri 'none'; form-action 'none'"
  );
}

function scriptsIn(page: Buffer): string[] {
  return [...page.toString("utf8").matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script]) => script!,
  );
}
