/**
 * The console, the service's own web application: its files below `/assets/`, which are named by their
 * content and kept for ever, and its page at `/` and at every other address that a browser visits and
 * that no route of the service has, so that each view of the application has an address.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../../platform/input/problem.ts";
import { isKnown } from "../../masks/etag.ts";
import { sendPage } from "../document/page.ts";
import { type BuiltFile, readBuiltFile, readBuiltPage } from "./built-files.ts";
import { landingPage } from "./landing-page.ts";

/**
 * What the application may load, run and send: what is served from here, and pictures that it makes itself.
 * Downloads from an object store elsewhere are visited, which needs no permission.
 */
const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "manifest-src 'self'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join("; ");

const HEADERS = {
  "content-security-policy": CONSOLE_POLICY,
  // Other origins learn nothing, and requests to this one still say where they come from.
  "referrer-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** The service's own; nothing below them is an address of the application. */
const SERVICE = /^\/(?:v1|v2|trpc|docs|assets)(?:\/|$)/;
const PAGE = "index.html";

export interface Console {
  /** Whether this request, for which there is no route, is a visit of the application. */
  isVisit(request: FastifyRequest): boolean;
  sendVisit(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply>;
}

/**
 * @param folder `index.html`, and `assets/`; may not be there yet
 * @param basePath under which browsers find the service; empty, or `/some/path`
 */
export function mountConsole(app: FastifyInstance, folder: string, basePath: string): Console {
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    statusWithout: number,
  ): Promise<FastifyReply> => {
    vary(reply, "accept");
    const page = await readBuiltPage(folder, PAGE, `${basePath}/assets/`);
    if (page !== null && asksForPage(request)) return sendFile(request, reply, page, "no-cache");
    const landing = landingPage({ isBuilt: page !== null, basePath });
    return sendPage(request, reply.code(statusWithout), HTML, landing);
  };
  app.route({
    method: ["GET", "HEAD"],
    url: "/",
    handler: (request, reply) => send(request, reply, 200),
  });
  const sendAsset = async (
    request: FastifyRequest,
    reply: FastifyReply,
    name: string,
  ): Promise<FastifyReply> => {
    const accepted = request.headers["accept-encoding"];
    const file = await readBuiltFile(`${folder}/assets`, name, accepted);
    if (file === null) throw new Problem("not-found", "There is nothing at this path.");
    return sendFile(request, reply, file, "public, max-age=31536000, immutable");
  };
  app.route<{ Params: { name: string } }>({
    method: ["GET", "HEAD"],
    url: "/assets/:name",
    handler: (request, reply) => sendAsset(request, reply, request.params.name),
  });
  // What a library asks for by names of its own, in a folder that its release gives the name: one file beside the others.
  app.route<{ Params: { release: string; name: string } }>({
    method: ["GET", "HEAD"],
    url: "/assets/:release/:name",
    handler: (request, reply) =>
      sendAsset(request, reply, `${request.params.release}-${request.params.name}`),
  });
  return {
    isVisit: (request) =>
      (request.method === "GET" || request.method === "HEAD") &&
      asksForPage(request) &&
      !SERVICE.test(request.url.split("?", 1)[0]!),
    // Without the application, it is the application that is missing and not the view.
    sendVisit: (request, reply) => send(request, reply, 503),
  };
}

const HTML = "text/html; charset=utf-8";

/** As browsers do where somebody visits an address; programs take anything, and name no pages. */
const asksForPage = ({ headers }: FastifyRequest): boolean =>
  /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(headers.accept ?? "");

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, type, coding, etag }: BuiltFile,
  caching: string,
): FastifyReply {
  vary(reply, "accept-encoding");
  reply.headers({ ...HEADERS, etag, "cache-control": caching });
  if (isKnown(request.headers["if-none-match"], etag)) return reply.code(304).send();
  if (coding !== null) reply.header("content-encoding", coding);
  return reply.header("content-type", type).send(content);
}

/** Beside what was named before, such as the origin. */
function vary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader("vary");
  reply.header("vary", before === undefined ? name : `${before}, ${name}`);
}
