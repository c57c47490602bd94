/** Organizations of their own on one server, and what tests of the catalog ask as them. */

import { expect } from "vitest";
import { answering, type TestResponder } from "./s3-responder.ts";
import type { ServerUser } from "./server.ts";
import { SharedServer } from "./shared-server.ts";

export interface Fault {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** What a JSON body may hold. */
export type Json = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Json;
}

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Everything that one organization asks. */
export class Organization {
  readonly #server: ServerUser;
  readonly #token: string;
  readonly #store: string;

  /**
   * @param token of the server's own user unless told
   * @param store the address of an object store; without one the connector `files` reaches nobody
   */
  constructor(server: ServerUser, token = server.key, store = "https://files.invalid") {
    this.#server = server;
    this.#token = token;
    this.#store = store;
  }

  async ask(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const { body, headers } = options;
    const response = await this.fetch(
      method,
      path,
      { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      body === undefined ? {} : { body: JSON.stringify(body) },
    );
    const parsed: Json = await response.json();
    return { status: response.status, etag: response.headers.get("etag"), body: parsed };
  }

  /** The answer as it came. */
  fetch(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    init: RequestInit = {},
  ): Promise<Response> {
    const authorization = `Bearer ${this.#token}`;
    return this.#server.request(method, path, { ...init, headers: { authorization, ...headers } });
  }

  /** As `ask`, of what must succeed. */
  async ok(method: string, path: string, options: AskOptions = {}): Promise<Answer> {
    const answer = await this.ask(method, path, options);
    expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(200);
    return answer;
  }

  /** Gives it the connectors `files`, of an object store, and `lake`, of a warehouse. */
  async addConnectors(): Promise<void> {
    await this.ok("POST", "/v1/connectors/objstore", {
      body: { connector_name: "files", url: "s3://bucket/", endpoint: this.#store },
    });
    await this.ok("POST", "/v1/connectors/warehouse", {
      body: { connector_name: "lake", kind: "postgres", url: "postgres://db.example.com:5432/db" },
    });
  }

  /** The status and sentence of what must fail. */
  async problem(method: string, path: string, options: AskOptions = {}): Promise<[number, string]> {
    const { status, body } = await this.ask(method, path, options);
    expect(body["status"], `${method} ${path}: ${JSON.stringify(body)}`).toBe(status);
    return [status, String(body["detail"])];
  }

  /** The faults of what must be refused with 422, as `[loc joined by dots, type]`. */
  async faults(
    method: string,
    path: string,
    options: AskOptions = {},
  ): Promise<readonly (readonly [string, string])[]> {
    const { status, body } = await this.ask(method, path, options);
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBe(422);
    const detail = body["detail"] as readonly Fault[];
    for (const { msg } of detail) expect(msg).toMatch(/\S/);
    return detail.map(({ loc, type }) => [loc.join("."), type] as const);
  }
}

const NO_OBJECTS = `<?xml version="1.0"?>
<ListBucketResult><Name>bucket</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>`;

/** As many organizations of the shared server as are asked for. Their object store is empty. */
export class CatalogServer {
  readonly server: SharedServer;
  readonly #store: TestResponder;
  #count = 0;

  private constructor(server: SharedServer, store: TestResponder) {
    this.server = server;
    this.#store = store;
  }

  static async start(): Promise<CatalogServer> {
    const store = await answering((response) => {
      response.writeHead(200, { "content-type": "application/xml" });
      response.end(NO_OBJECTS);
    });
    return new CatalogServer(await SharedServer.join(), store);
  }

  /** One that has nothing yet. */
  organization(): Organization {
    this.#count += 1;
    const token = this.server.token(`organization-${this.#count}`);
    return new Organization(this.server, token, `http://127.0.0.1:${this.#store.port}`);
  }

  /** One with the workspace `acme`. */
  async withWorkspace(): Promise<Organization> {
    const organization = this.organization();
    await organization.ok("POST", "/v1/workspaces", { body: { name: "workspaces/acme" } });
    return organization;
  }

  async stop(): Promise<void> {
    await this.#store.close();
  }
}

/** Both revisions as numbers, to see which is later. */
export const revisionOf = (answer: Answer): number => {
  expect(answer.body["revision"]).toMatch(/^(0|[1-9][0-9]*)$/);
  return Number(answer.body["revision"]);
};
