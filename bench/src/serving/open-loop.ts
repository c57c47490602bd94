/**
 * Requests at a fixed rate, whether or not the earlier ones are answered: a slow answer delays none of
 * those behind it, and what waits for a connection is counted as waiting (no coordinated omission).
 */

import { connect, type Socket } from "node:net";

export interface OpenLoopOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Requests a second. */
  readonly rate: number;
  readonly seconds: number;
  /** Requests under way at a time; those beyond wait, which their latency contains. */
  readonly connections: number;
}

export interface Latencies {
  readonly requests: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** 99th percentile of how late this process itself was in sending, milliseconds; in no latency. */
  readonly late: number;
}

/** @throws where an answer is anything but 200 */
export async function openLoop(options: OpenLoopOptions): Promise<Latencies> {
  const { rate, seconds, connections } = options;
  const total = Math.round(rate * seconds);
  const clients: Client[] = [];
  for (let index = 0; index < connections; index++) clients.push(await Client.open(options));
  const idle = [...clients];
  const waiting: number[] = [];
  const latencies: number[] = [];
  const lateness: number[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      const start = performance.now() + 50;
      let sent = 0;
      const send = (client: Client, due: number): void => {
        client.ask().then(() => {
          latencies.push(performance.now() - due);
          const next = waiting.shift();
          if (next === undefined) idle.push(client);
          else send(client, next);
          if (latencies.length === total) {
            clearInterval(timer);
            resolve();
          }
        }, reject);
      };
      const timer = setInterval(() => {
        const now = performance.now();
        while (sent < total && start + (sent * 1000) / rate <= now) {
          lateness.push(now - (start + (sent * 1000) / rate));
          sent++;
          const client = idle.shift();
          if (client === undefined) waiting.push(now);
          else send(client, now);
        }
      }, 1);
    });
  } finally {
    for (const client of clients) client.close();
  }
  return {
    requests: total,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    worst: quantile(latencies, 1),
    late: quantile(lateness, 0.99),
  };
}

/** @param share 0 to 1 */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");

/** One connection, one request at a time: as little work as a client can have. */
class Client {
  readonly #socket: Socket;
  readonly #request: Buffer;
  #received: Buffer[] = [];
  #done: { resolve(): void; reject(error: Error): void } | null = null;

  private constructor(socket: Socket, request: Buffer) {
    this.#socket = socket;
    this.#request = request;
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("close", () => this.#done?.reject(new Error("the connection was closed")));
    socket.on("error", (error) => this.#done?.reject(error));
  }

  static async open({ url, headers, body }: OpenLoopOptions): Promise<Client> {
    const { hostname, port, pathname, host } = new URL(url);
    const head = [
      `POST ${pathname} HTTP/1.1`,
      `host: ${host}`,
      `content-length: ${body.length}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "\r\n",
    ].join("\r\n");
    const socket = connect(Number(port), hostname);
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new Client(socket, Buffer.concat([Buffer.from(head), body]));
  }

  ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#done = { resolve, reject };
      this.#socket.write(this.#request);
    });
  }

  #take(chunk: Buffer): void {
    this.#received.push(chunk);
    const answer = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    const end = answer.indexOf(END_OF_HEAD);
    if (end < 0) return;
    const head = answer.toString("latin1", 0, end);
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1]);
    if (answer.length < end + END_OF_HEAD.length + length) return;
    this.#received = [];
    const done = this.#done;
    this.#done = null;
    if (head.startsWith("HTTP/1.1 200")) done?.resolve();
    else done?.reject(new Error(answer.toString("utf8", 0, 1000)));
  }

  close(): void {
    this.#socket.destroy();
  }
}
