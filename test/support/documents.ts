/** Documents through the API: uploads, jobs and their results, as one organization. */

import { expect } from "vitest";
import { Organization } from "./catalog.ts";
import type { ServerUser } from "./server.ts";

export interface UploadedDocument {
  readonly document_id: string;
  readonly name: string;
  readonly status: "parsing" | "ready" | "failed";
  readonly pages: number | null;
  readonly bytes: number;
  readonly hash: string;
  readonly media_type: string;
  readonly warnings: readonly string[];
  readonly error_message: string;
  readonly created_at: string;
}

export interface UploadAnswer {
  readonly documents: readonly UploadedDocument[];
  readonly skipped: readonly { name: string; reason: string; detail: string }[];
}

export interface Answer {
  readonly value: string | number | boolean | null;
  readonly unit: string | null;
  readonly confidence: number | null;
  readonly page: number | null;
  readonly span: { text: string; start: number; end: number; box: unknown } | null;
}

export interface Row {
  readonly document_id: string;
  readonly name: string;
  readonly columns?: Readonly<Record<string, unknown>>;
  readonly answers: Readonly<Record<string, Answer>>;
  readonly error_message?: string;
}

export interface JobResult {
  readonly job_id: string;
  readonly kind: string;
  readonly status: "pending" | "running" | "completed" | "failed";
  readonly progress: { phase: string; done: number; total: number; estimate: number | null };
  readonly result?: {
    readonly model_id: string;
    readonly questions?: number;
    readonly hash?: string;
    readonly rows?: readonly Row[];
    readonly dataset_id?: string;
    readonly warnings: readonly string[];
  };
  readonly error_message?: string;
}

export interface Schema {
  readonly skill: string;
  readonly use_case: string;
  readonly questions: readonly {
    readonly id: string;
    readonly question: string;
    readonly rationale: string;
    readonly unit: string | null;
    readonly enum: readonly string[];
  }[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type FileBytes = string | Uint8Array<ArrayBuffer>;

/** Everything that one organization does with documents. */
export class DocumentUser extends Organization {
  readonly server: ServerUser;
  readonly token: string;

  /** @param token of the server's own user unless told */
  constructor(server: ServerUser, token: string = server.key) {
    super(server, token);
    this.server = server;
    this.token = token;
  }

  request(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...init.headers };
    return this.server.request(method, path, { ...init, headers });
  }

  send(files: readonly (readonly [string, FileBytes])[], query = ""): Promise<Response> {
    const form = new FormData();
    for (const [name, bytes] of files) form.append("files", new Blob([bytes]), name);
    return this.request("POST", `/v1/documents${query}`, { body: form });
  }

  async upload(
    files: readonly (readonly [string, FileBytes])[],
    query = "",
  ): Promise<readonly UploadedDocument[]> {
    const response = await this.send(files, query);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const { documents }: UploadAnswer = JSON.parse(text);
    return documents;
  }

  async get<T>(path: string): Promise<T> {
    const { body } = await this.ok("GET", path);
    return body as T;
  }

  /** Induces a schema, to its end. */
  async induce(request: object): Promise<JobResult & { readonly schemaId: string }> {
    const { body } = await this.ok("POST", "/v1/agentic/documents/induce_schema", {
      body: request,
    });
    const result = await this.result(String(body["job_id"]));
    return { ...result, schemaId: String(body["schema_id"]) };
  }

  async schema(modelId: string): Promise<Schema> {
    const { schema } = await this.get<{ schema: Schema }>(
      `/v1/agentic/documents/schemas/${modelId}`,
    );
    return schema;
  }

  /** The result of a job once it has ended. */
  async result(jobId: string): Promise<JobResult> {
    for (;;) {
      const result = await this.get<JobResult>(`/v1/results/${jobId}`);
      if (result.status === "completed" || result.status === "failed") return result;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const SHOPS = ["CORNER SHOP", "TEA HOUSE", "BOOK BARN", "GREEN GROCER"];
const GOODS = ["Tea", "Bread", "Candle", "Apple", "Notebook"];

/** Receipts that nobody was ever given: the same words, other values. */
export function receipts(count: number, from = 0): [name: string, text: string][] {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i;
    const cents = 350 + ((at * 7919) % 9000);
    const lines = [
      `${SHOPS[at % SHOPS.length]} SDN BHD`,
      `${10 + at} High Street`,
      `Receipt no: R-${1000 + at * 37}`,
      `Date: ${String(1 + (at % 28)).padStart(2, "0")}/${String(1 + (at % 12)).padStart(2, "0")}/2018`,
      `Cashier: ${["Ann", "Ben", "Cleo"][at % 3]}`,
      `${GOODS[at % GOODS.length]}  ${1 + (at % 3)}  ${(cents / 100).toFixed(2)}`,
      `Total: RM ${(cents / 100).toFixed(2)}`,
      `Payment: ${at % 2 === 0 ? "Cash" : "Card"}`,
      "Thank you",
    ];
    return [`receipt-${at}.txt`, `${lines.join("\n")}\n`];
  });
}
