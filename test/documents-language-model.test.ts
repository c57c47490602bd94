/** A server whose operator named a language model: what the model is sent, and what becomes of it. */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readReceipt, shownIn } from "../server/src/reading/induction/llm/testing/receipts.ts";
import {
  type ChatEndpoint,
  sendCompletion,
  sendJson,
  startChatEndpoint,
} from "../server/src/testing/chat-endpoint.ts";
import { removeHomes, TestServer } from "./support/server.ts";

const LLM_KEY = "sk-blackbox-0123456789abcdef";
const DOCUMENTS = Array.from({ length: 6 }, (_, number) => ({
  name: `receipt-${number}.txt`,
  text: [
    `KEDAI NUMBER ${"ABCDEF"[number]} SDN BHD`,
    `DATE :  ${10 + number}/0${1 + number}/2018`,
    `INVOICE NO : CS${67832 + 17 * number}`,
    `SUBTOTAL :  ${10 + number}.00`,
    `TOTAL :  ${11 + number}.50`,
    "THANK YOU",
  ].join("\n"),
}));

let isDown = false;
let endpoint: ChatEndpoint;
let server: TestServer;
beforeAll(async () => {
  endpoint = await startChatEndpoint((chat, response) => {
    if (isDown) sendJson(response, 401, { error: { message: `unknown key ${LLM_KEY}` } });
    else if (!chat.body.messages[1]?.content.includes("SUBTOTAL")) {
      sendCompletion(
        response,
        chat.body.messages[1]?.content.includes("Use case") ? { verdicts: [] } : { merged: [] },
      );
    } else sendCompletion(response, { fields: readReceipt(shownIn(chat)) });
  });
  server = await TestServer.start({
    workers: 1,
    env: { LLM_BASE_URL: endpoint.baseUrl, LLM_API_KEY: LLM_KEY, LLM_MODEL: "small-model" },
  });
});
afterAll(async () => {
  await server.stop();
  await endpoint.close();
  await removeHomes();
});

interface Schema {
  readonly questions: readonly { readonly id: string; readonly question: string }[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

async function induced(modelId: string): Promise<Schema> {
  const { job_id } = await server.post<{ job_id: string }>("/v1/agentic/documents/induce_schema", {
    documents: DOCUMENTS,
    use_case: "predict what households spend",
    skill: "general",
    model_id: modelId,
  });
  for (;;) {
    const { status, error_message } = await server.get<{ status: string; error_message?: string }>(
      `/v1/results/${job_id}`,
    );
    if (status === "failed") throw new Error(error_message);
    if (status === "completed") break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { schema } = await server.get<{ schema: Schema }>(
    `/v1/agentic/documents/schemas/${modelId}`,
  );
  return schema;
}

/** All files under a folder that hold the text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}

describe("a server with a language model", () => {
  it("has it propose the questions, and keeps what was said where nobody lists it", async () => {
    const schema = await induced("by-model");
    expect(schema.metadata).toMatchObject({ inducer: "language-model", documents: 6, notes: [] });
    expect(schema.questions).toContainEqual(
      expect.objectContaining({
        id: "total_amount",
        question: "What is the total amount payable?",
      }),
    );
    expect(endpoint.requests[0]?.headers["authorization"]).toBe(`Bearer ${LLM_KEY}`);
    expect(endpoint.requests[0]?.body.model).toBe("small-model");
    const { files } = await server.get<{ files: { path: string }[] }>(
      "/v1/models/by-model/download",
    );
    expect(files.map(({ path }) => path)).not.toContainEqual(expect.stringContaining("reasoning"));
    const kept = await filesWith(join(server.home, "store"), "stands in place of every space");
    expect(kept.some((path) => path.includes("reasoning"))).toBe(true);
  });

  it("induces without it when it fails, and says so", async () => {
    isDown = true;
    const schema = await induced("by-itself");
    expect(schema.metadata["inducer"]).toBe("embedded");
    expect(schema.metadata["notes"]).toContain(
      "The language model was not used: it refused the key (status 401). The embedded inducer proposed the questions.",
    );
    expect(schema.questions.length).toBeGreaterThan(0);
  });

  it("writes the key nowhere", async () => {
    // So that no file comes or goes while they are read.
    await server.stop();
    expect(server.process.output).not.toContain(LLM_KEY);
    expect(await filesWith(server.home, LLM_KEY)).toEqual([]);
  });
});
