/** A reverse proxy that serves what lies behind it below a path of its own, which it takes away. */

import { request as ask, createServer, type Server } from "node:http";

export class StrippingProxy {
  readonly #server: Server;
  readonly #path: string;
  #target: URL | null = null;

  private constructor(path: string) {
    this.#path = path;
    this.#server = createServer((request, response) => {
      const { method, url = "", headers } = request;
      if (this.#target === null || !url.startsWith(`${path}/`)) {
        response.writeHead(421).end();
        return;
      }
      const { hostname, port } = this.#target;
      const inner = ask({ hostname, port, method, path: url.slice(path.length), headers });
      inner.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      inner.on("error", () => response.destroy());
      request.pipe(inner);
    });
  }

  /** @param path such as `/some/path` */
  static async start(path: string): Promise<StrippingProxy> {
    const proxy = new StrippingProxy(path);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  /** Where browsers find the service. */
  get url(): string {
    const address = this.#server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    return `http://127.0.0.1:${port}${this.#path}`;
  }

  /** @param url of the service itself */
  serve(url: string): void {
    this.#target = new URL(url);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
