/**
 * What every resource stands on, opened in order and closed in reverse: the home with its secret,
 * the database (embedded or by URL) with its migrations, the object store, the thread pools and the
 * task queue.
 */
import { join } from "node:path";
import { makeFolder } from "@distillery/engine";
import manifest from "../../package.json" with { type: "json" };
import { Compute } from "../platform/compute/compute.ts";
import type { Config } from "../platform/config.ts";
import { ChangeFeed } from "../platform/db/change-feed.ts";
import type { Database } from "../platform/db/database.ts";
import { openDatabase } from "../platform/db/open.ts";
import { openProcessFolders } from "../platform/files/process-folders.ts";
import type { Logger } from "../platform/log.ts";
import { GuardedOutbound } from "../platform/net/guarded-outbound.ts";
import type { Outbound } from "../platform/net/outbound.ts";
import type { ObjectStore } from "../platform/objects/object-store.ts";
import { openObjectStore } from "../platform/objects/open.ts";
import { ObjectUrlSigner } from "../platform/objects/signed-url.ts";
import { Queue } from "../platform/queue/queue.ts";
import { Sealer } from "../platform/secrets/seal.ts";
import { openSecretKey, SecretKey } from "../platform/secrets/secret-key.ts";
import { agreeOnSecret } from "../platform/secrets/shared-secret.ts";
import { lazySqlEngine } from "../query/sql/lazy-engine.ts";
import type { DatasetTables, SqlEngine } from "../query/sql/query.ts";
import type { Inducer } from "../reading/induction/inducer.ts";
import { InductionRunner } from "../reading/induction/runner/induction-runner.ts";
import { ParserPool } from "../reading/parsing/parser-pool.ts";

/** Of one document: some hundred scanned pages. A request waits for much less (`documents/limits.ts`). */
const PARSE_MS = 15 * 60_000;

/** See `migrations/0099_model_changes.sql`; the lock's key is "dmod". */
const MODEL_CHANGES = { channel: "distillery_model_changes", lock: 0x646d6f64 } as const;

export interface Services {
  readonly config: Config;
  readonly log: Logger;
  readonly db: Database;
  /** Of models, aliases and serving endpoints; heard by servers alone. */
  readonly modelChanges: ChangeFeed;
  readonly queue: Queue;
  readonly objects: ObjectStore;
  readonly compute: Compute;
  readonly secret: SecretKey;
  readonly sealer: Sealer;
  /** Opened by its first query. */
  readonly sql: SqlEngine;
  /** The datasets that statements read; without resources there are none. */
  readonly datasetTables: DatasetTables;
  /** Verifies the URLs that the file store signs. */
  readonly objectUrls: ObjectUrlSigner;
  /** The way to addresses that callers give. */
  readonly outbound: Outbound;
  /** Reads what callers upload, in processes of its own. */
  readonly parsers: ParserPool;
  /** Makes schemas of documents and follows them, in processes of its own. */
  readonly induction: InductionRunner;
  /** Of the language model that the operator named; undefined = the embedded one. */
  readonly inducer: Inducer | undefined;
  close(): Promise<void>;
}

/** @param role a `worker` serves no requests, and may join a home that a server runs on */
export async function openServices(
  config: Config,
  log: Logger,
  role: "server" | "worker",
): Promise<Services> {
  const opened: (() => Promise<void>)[] = [];
  /** Closes what is open, latest first; the first failure is told once all have been tried. */
  const close = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const closeOne of opened.splice(0).reverse()) {
      await closeOne().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    // A worker for a home that is served makes none. Of a database that is given, only this process's settings and caches live there.
    if (role === "server" || config.databaseUrl !== undefined) await makeFolder(config.home, 0o700);
    const { database, close: closeDatabase } = await openDatabase(config, log, role);
    opened.push(closeDatabase);
    const secret = await openSecretKey(config.home, config.secretKey);
    const sealer = new Sealer(
      secret,
      config.previousSecretKeys.map((material) => new SecretKey(material)),
    );
    if (config.databaseUrl !== undefined && role === "server")
      await agreeOnSecret(database, sealer);
    const outbound = new GuardedOutbound({ allowPrivateNetwork: config.allowPrivateNetwork });
    opened.push(() => outbound.close());
    const objectUrls = new ObjectUrlSigner(secret.derive("object-urls"));
    const objects = await openObjectStore(config, objectUrls);
    opened.push(() => objects.close());
    // Queries open theirs at the first of them: what a killed process left does not wait for that.
    const queryFolder = join(config.home, "sql");
    await openProcessFolders(queryFolder);
    const compute = await Compute.open({
      objects,
      cacheFolder: await openProcessFolders(join(config.home, "cache")),
      queryFolder,
      trainingThreads: config.workers,
      devices: {
        device: config.device,
        name: config.adapters[0],
        also: config.adapters.slice(1).map((name) => ({ name })),
      },
      servingThreads: config.servingThreads,
      modelBytes: config.modelCacheBytes,
      maxColumns: config.maxColumns,
      readMemoryBytes: config.readMemoryBytes,
    });
    opened.push(() => compute.close());
    const modelChanges = new ChangeFeed(database, {
      ...MODEL_CHANGES,
      onLost: (error) =>
        log.warn({ err: error }, "changes of models are not received; reconnecting"),
    });
    opened.push(() => modelChanges.close());
    if (role === "server") await modelChanges.open();
    const parsers = new ParserPool({ wallMs: PARSE_MS });
    opened.push(() => parsers.close());
    const induction = new InductionRunner();
    opened.push(() => induction.close());
    const inducer = await openInducer(config, opened);
    const sql = lazySqlEngine(queryFolder);
    opened.push(() => sql.close());
    const facts = {
      version: manifest.version,
      threads: config.workers,
      offer: () => compute.offer,
    };
    const queue = await Queue.open(database, log, facts);
    opened.push(() => queue.close());
    return {
      config,
      log,
      db: database,
      modelChanges,
      queue,
      objects,
      compute,
      secret,
      sealer,
      sql,
      datasetTables: { find: async () => [], list: async () => [] },
      objectUrls,
      outbound,
      parsers,
      induction,
      inducer,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Its endpoint is the operator's own choice, and often lives in the operator's own network. */
async function openInducer(
  { llm }: Config,
  opened: (() => Promise<void>)[],
): Promise<Inducer | undefined> {
  if (llm === undefined) return undefined;
  const { inducerFor } = await import("../reading/induction/llm/llm-inducer.ts");
  const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
  opened.push(() => outbound.close());
  return inducerFor(llm, outbound);
}
