/**
 * Somebody's object store: a bucket of a real S3 server, behind a proxy that counts which objects
 * were read.
 */

import { once } from "node:events";
import { createReadStream } from "node:fs";
import { createServer, request as forward, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { S3ObjectStore } from "../../server/src/platform/objects/s3-store.ts";
import { S3Service } from "../../server/src/testing/s3-service.ts";

const BUCKET = "bucket";

export class Lake {
  readonly #service: S3Service;
  readonly #store: S3ObjectStore;
  readonly #proxy: Server;
  /** Keys of the objects that were read whole, in order. */
  readonly reads: string[] = [];
  /** Answered requests for objects or ranges of them, with the bytes of their bodies. */
  readonly gets: { readonly key: string; readonly bytes: number }[] = [];

  private constructor(service: S3Service) {
    this.#service = service;
    Object.assign(process.env, service.credentials);
    const endpoint = new URL(new URL(service.url("lake")).searchParams.get("endpoint") ?? "");
    this.#store = new S3ObjectStore({
      kind: "s3",
      bucket: BUCKET,
      prefix: "lake",
      endpoint: endpoint.origin,
      forcePathStyle: true,
    });
    this.#proxy = createServer((incoming, outgoing) => {
      const { method, url = "/", headers } = incoming;
      const key = decodeURIComponent(new URL(url, endpoint).pathname).slice(BUCKET.length + 2);
      // A range is a look at a footer, for the schema.
      if (method === "GET" && key !== "" && headers.range === undefined) this.reads.push(key);
      const onwards = forward({
        host: endpoint.hostname,
        port: endpoint.port,
        method,
        path: url,
        headers,
      });
      onwards.on("response", (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        if (method === "GET" && key !== "") {
          let bytes = 0;
          answer.on("data", (chunk: Buffer) => {
            bytes += chunk.byteLength;
          });
          answer.on("end", () => this.gets.push({ key, bytes }));
        }
        answer.pipe(outgoing);
      });
      onwards.on("error", () => outgoing.destroy());
      incoming.pipe(onwards);
    });
  }

  static async create(): Promise<Lake> {
    const lake = new Lake(await S3Service.create());
    lake.#proxy.listen(0, "127.0.0.1");
    await once(lake.#proxy, "listening");
    return lake;
  }

  /** The body that makes a connector of it. */
  connector(name: string): object {
    const { port } = this.#proxy.address() as AddressInfo;
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = this.#service.credentials;
    return {
      connector_name: name,
      url: `s3://${BUCKET}/lake`,
      endpoint: `http://127.0.0.1:${port}`,
      path_style: true,
      credentials: { access_key_id: AWS_ACCESS_KEY_ID, secret_access_key: AWS_SECRET_ACCESS_KEY },
    };
  }

  url(path: string): string {
    return `s3://${BUCKET}/lake/${path}`;
  }

  async put(key: string, file: string): Promise<void> {
    await this.#store.put(key, createReadStream(file));
  }

  /** What was read since the last call, as paths below the lake, each once. */
  takeReads(): string[] {
    return [...new Set(this.reads.splice(0))].map((key) => key.replace(/^lake\//, "")).sort();
  }

  async remove(): Promise<void> {
    this.#proxy.closeAllConnections();
    this.#proxy.close();
    await this.#store.close();
    await this.#service.remove();
  }
}
