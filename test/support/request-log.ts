/**
 * Which requests the black-box tests made of their servers, and what came back. With a folder named
 * by `DISTILLERY_TEST_REQUESTS`, each test process appends every new (method, path, status) to a
 * file of its own there, and keeps the document of the service beside them, so that the run can
 * tell which answers of which operations were seen (`operation-coverage.ts`).
 *
 * Requests are heard of on Node's diagnostics channels: `fetch` and `node:http` alike, whoever sends.
 */

import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, existsSync, renameSync, writeFileSync } from "node:fs";
import type { ClientRequest, IncomingMessage } from "node:http";
import { join } from "node:path";
import process from "node:process";
import { threadId } from "node:worker_threads";

/** The variable that names the folder. */
export const REQUESTS_VARIABLE = "DISTILLERY_TEST_REQUESTS";

export interface SeenAnswer {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly status: number;
}

export const DOCUMENT_FILE = "openapi.json";

const folder = process.env[REQUESTS_VARIABLE];
const origins = new Set<string>();
const seen = new Set<string>();

/** From now on, what is asked of the server at this URL is kept. */
export async function recordRequests(baseUrl: string): Promise<void> {
  if (folder === undefined) return;
  if (origins.size === 0) listen(folder);
  origins.add(new URL(baseUrl).origin);
  const file = join(folder, DOCUMENT_FILE);
  if (existsSync(file)) return;
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  const scratch = `${file}.${process.pid}.${threadId}`;
  writeFileSync(scratch, text);
  renameSync(scratch, file);
}

interface UndiciHeaders {
  readonly request: {
    readonly origin: string | URL;
    readonly method: string;
    readonly path: string;
  };
  readonly response: { readonly statusCode: number };
}

interface HttpFinish {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

function listen(into: string): void {
  const file = join(into, `requests-${process.pid}-${threadId}.ndjson`);
  const keep = (origin: string, method: string, target: string, status: number): void => {
    if (!origins.has(origin)) return;
    const answer: SeenAnswer = { method, path: target.split("?", 1)[0], status };
    const line = JSON.stringify(answer);
    if (seen.has(line)) return;
    seen.add(line);
    appendFileSync(file, `${line}\n`);
  };
  subscribe("undici:request:headers", (message) => {
    const { request, response } = message as UndiciHeaders;
    keep(new URL(request.origin).origin, request.method, request.path, response.statusCode);
  });
  subscribe("http.client.response.finish", (message) => {
    const { request, response } = message as HttpFinish;
    const origin = `${request.protocol}//${request.getHeader("host")}`;
    keep(origin, request.method, request.path, response.statusCode ?? 0);
  });
}
