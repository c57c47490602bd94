/** A server of the S3 API with one bucket, for tests: s3rver on a port of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";

const BUCKET = "bucket";

export class S3Service {
  readonly #folder: string;
  #server: S3rver | null = null;
  #port = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<S3Service> {
    const service = new S3Service(await mkdtemp(join(tmpdir(), "distillery-s3-")));
    await service.start();
    return service;
  }

  /** Starts it, again on the same port where it ran before. */
  async start(): Promise<void> {
    const server = new S3rver({
      address: "127.0.0.1",
      port: this.#port,
      silent: true,
      directory: this.#folder,
      configureBuckets: [{ name: BUCKET }],
    });
    const { port } = await server.run();
    this.#port = port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.close();
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** The service's `OBJECT_STORE_URL`. @param prefix of all keys */
  url(prefix: string): string {
    return `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${this.#port}`;
  }

  /** The one pair of credentials that s3rver knows. */
  get credentials(): Record<string, string> {
    return { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
  }
}
