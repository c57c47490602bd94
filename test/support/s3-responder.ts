/** Servers that always say the same, or nothing, to who speaks the S3 API, each on a port of its own. */

import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcp, type Server, type Socket } from "node:net";

export interface TestResponder {
  readonly port: number;
  /** How often it was spoken to. */
  readonly calls: () => number;
  close(): Promise<void>;
}

async function listen(server: Server, calls: () => number): Promise<TestResponder> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    calls,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Takes connections and never says a word. */
export function blackHole(): Promise<TestResponder> {
  let calls = 0;
  return listen(
    createTcp(() => calls++),
    () => calls,
  );
}

/** A port that nobody listens on. */
export async function deadPort(): Promise<number> {
  const server = await blackHole();
  await server.close();
  return server.port;
}

/** Answers everything alike. */
export function answering(answer: (response: ServerResponse) => void): Promise<TestResponder> {
  let calls = 0;
  const server = createServer((_request, response) => {
    calls++;
    answer(response);
  });
  return listen(server, () => calls);
}

/** Answers with an error of the S3 API. */
export function refusing(status: number, code: string, message: string): Promise<TestResponder> {
  return answering((response) => {
    response.writeHead(status, { "content-type": "application/xml" });
    response.end(
      `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message><AWSAccessKeyId>${message}</AWSAccessKeyId></Error>`,
    );
  });
}
