/** A server of the chat-completions API whose answers a test writes. */

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface ChatRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: {
    readonly model: string;
    readonly temperature?: number;
    readonly seed?: number;
    readonly max_tokens?: number;
    readonly max_completion_tokens?: number;
    readonly messages: readonly { readonly role: string; readonly content: string }[];
    readonly tools?: unknown;
    readonly response_format?: {
      readonly type: string;
      readonly json_schema?: { readonly name: string };
    };
  };
}

export interface ChatEndpoint {
  readonly baseUrl: string;
  /** In the order in which they came. */
  readonly requests: readonly ChatRequest[];
  close(): Promise<void>;
}

export type ChatResponder = (request: ChatRequest, response: ServerResponse) => void;

export async function startChatEndpoint(respond: ChatResponder): Promise<ChatEndpoint> {
  const requests: ChatRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { url = "", headers } = request;
      const body = JSON.parse(Buffer.concat(chunks).toString("utf8"));
      const chat: ChatRequest = { path: url, headers, body };
      requests.push(chat);
      respond(chat, response);
    });
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** What the model writes, as the API wraps it. */
export function sendCompletion(response: ServerResponse, content: unknown): void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const message = { role: "assistant", content: text };
  sendJson(response, 200, {
    id: "chat-1",
    object: "chat.completion",
    created: 0,
    model: "test",
    choices: [{ index: 0, finish_reason: "stop", message }],
  });
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
