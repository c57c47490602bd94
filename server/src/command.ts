/**
 * The commands of the service: `start` serves the API and the console and works the queue, `worker` works
 * the queue alone, `link` signs somebody in at the console of a service that runs.
 */
import process from "node:process";
import type { Services } from "./api/services.ts";
import type { App } from "./app.ts";
import { runCommand, type Service } from "./lifecycle.ts";
import { type Config, parseConfig } from "./platform/config.ts";
import { didYouMean, OptionError, readOptions } from "./platform/input/command-options.ts";
import { createLogger, type Logger } from "./platform/log.ts";
import { StartupError } from "./platform/startup-error.ts";

const USAGE = `distillery <command> [options]

Commands
  start     serve the API and the console, and work the queue unless DISTILLERY_WORKERS=0
  worker    only work the queue: that of the service at DATABASE_URL and OBJECT_STORE_URL,
            or of the server that runs in the same home
  link      print a link that opens the console of the service that runs at DATABASE_URL or in the
            same home: it signs in once, within 15 minutes, with all that the first API key may do

Options
  --port <n>      TCP port, 0 = any free one       PORT               8080
  --host <name>   address to listen on             HOST               127.0.0.1
  --home <path>   folder for all its data          DISTILLERY_HOME    .distillery
  --help          this text

Variables
  DATABASE_URL                     PostgreSQL, 16 or newer; absent = one of its own under the home
  OBJECT_STORE_URL                 s3://bucket/prefix?endpoint=…&region=…; absent = files under the home
  DISTILLERY_API_KEY               the first key; absent = one is made and shown at the first start
  DISTILLERY_METRICS_TOKEN         the bearer token with which Prometheus reads, at /metrics, the process and
                                   the endpoints of all organizations; an API key reads its own alone
  DISTILLERY_WORKERS               threads for training, 0 = serve the API only
  DISTILLERY_SERVING_THREADS       threads that answer predictions and explanations; default one a core,
                                   2 to 8
  DISTILLERY_MODEL_CACHE_MIB       models that each of these threads keeps loaded, by what they hold in
                                   memory; default 512
  DISTILLERY_MODEL_DISK_MIB        copies of models beside them on this machine's disk; default 10240
  DISTILLERY_DEVICE                what computes: auto (a GPU where it was measured to be faster), wasm (the
                                   CPU), webgpu (the GPU), or tensorflow (networks, where
                                   @tensorflow/tfjs-node-gpu is installed); trees do not depend on
                                   it, networks that it trained differ in their last digits
  DISTILLERY_ADAPTER               part of the name of the GPU adapter, or of each of several, separated by
                                   commas, which take fits side by side; absent = the one that the
                                   system prefers
  DISTILLERY_PUBLIC_URL            where callers reach the service: every link that it answers begins
                                   with it; absent = with the Host of the request
  DISTILLERY_TRUSTED_PROXIES       addresses and networks (10.0.0.0/8), separated by commas, of the
                                   proxies in front, whose X-Forwarded-For, -Host and -Proto are believed
  DISTILLERY_CORS_ORIGINS          origins (https://app.example.com), separated by commas, whose pages
                                   may call the service from a browser; * = any; absent = none
  DISTILLERY_MAX_UPLOAD_MIB        largest file of a dataset, unpacked; default 16384
  DISTILLERY_MAX_COLUMNS           most columns of a dataset; default 16384
  DISTILLERY_READ_MEMORY_MIB       for a process that reads a dataset; default half of the memory,
                                   1024 to 6144
  DISTILLERY_KEEP_ORIGINALS        0 = datasets drop the bytes that were sent, and keep the file that is
                                   read alone; default 1
  DISTILLERY_FILE_ROOTS            folders, separated by colons, that file: connectors may read
  DISTILLERY_ALLOW_PRIVATE_NETWORK 1 = connectors and other outbound calls may reach private addresses
  DISTILLERY_SECRET_KEY            seals credentials and signs links; absent = one under the home
  DISTILLERY_PREVIOUS_SECRET_KEYS  the previous keys, separated by commas
  OIDC_ISSUER, OIDC_AUDIENCE, OIDC_ORGANIZATION_CLAIM
                                   accept access tokens of this issuer
  OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_SCOPES
                                   people sign in at the console by the same issuer: the client that is
                                   registered there, its secret if it has one, and the scopes that are
                                   asked for (default openid); its redirect URI is the console's address
                                   with /sign-in/return behind it
  LLM_BASE_URL, LLM_MODEL, LLM_API_KEY
                                   a language model that proposes schemas of documents

To change DISTILLERY_SECRET_KEY, name the old one in DISTILLERY_PREVIOUS_SECRET_KEYS (several are
separated by commas): a server then seals again, at its start, what the old one sealed. Servers
that run side by side must each know the keys of all: give every one the new key as a previous one
first, then make it the current one of each in turn, then drop the old one.
`;

const COMMANDS = ["start", "worker", "link"] as const;

interface Command {
  readonly name: (typeof COMMANDS)[number];
  readonly config: Config;
}

/** The command line, or null where help was asked for. */
function parseCommandLine(): Command | null {
  const { values, positionals } = readArguments();
  if (values.help) return null;
  // As `pnpm start link` has it, whose script begins with the first word.
  const [first, ...rest] = positionals.join(" ") === "start link" ? ["link"] : positionals;
  const name = COMMANDS.find((each) => each === first);
  if (name === undefined || rest.length > 0) {
    const meant = name === undefined ? didYouMean(first ?? "", COMMANDS) : "";
    throw new StartupError(`the command must be start, worker or link${meant} (see --help)`);
  }
  const config = parseConfig(process.env, {
    PORT: values.port,
    HOST: values.host,
    DISTILLERY_HOME: values.home,
  });
  if (name === "worker" && config.workers === 0) {
    throw new StartupError("DISTILLERY_WORKERS must be at least 1 for a worker");
  }
  return { name, config };
}

const OPTIONS = {
  help: { type: "boolean", short: "h", default: false },
  port: { type: "string" },
  host: { type: "string" },
  home: { type: "string" },
} as const;

function readArguments() {
  try {
    return readOptions(OPTIONS);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw new StartupError(`${error.message} (see --help)`);
  }
}

/** Loaded only now, so that help and a fault of the command line come at once. */
async function openServices(
  config: Config,
  log: Logger,
  role: "server" | "worker",
): Promise<Services> {
  const { openAll } = await import("./opening.ts");
  return await openAll(config, log, role);
}

async function start(config: Config, log: Logger): Promise<Service> {
  const services = await openServices(config, log, "server");
  try {
    const { createApp } = await import("./app.ts");
    const { app, ...keys } = await createApp(services);
    try {
      await app.listen({ host: config.host, port: config.port });
      if (config.workers > 0) await startWorkers(services);
    } catch (error) {
      await app.close();
      throw error;
    }
    const { startSweeping } = await import("./sweeping.ts");
    const stopSweeping = startSweeping(services);
    const address = app.server.address();
    const port = typeof address === "object" && address !== null ? address.port : config.port;
    const url = baseUrl(config.host, port);
    const { firstLink } = await import("./api/auth/sign-in-link.ts");
    const link = await firstLink(services.db, config.publicUrl ?? url);
    process.stdout.write(greeting(config, { url, link, ...keys }));
    return {
      close: async () => {
        await stopSweeping();
        await app.close();
        await services.close();
      },
    };
  } catch (error) {
    await services.close();
    throw error;
  }
}

async function work(config: Config, log: Logger): Promise<Service> {
  const services = await openServices(config, log, "worker");
  try {
    await startWorkers(services);
  } catch (error) {
    await services.close();
    throw error;
  }
  process.stdout.write(`\nDistillery worker, ${config.workers} threads\n\n`);
  return services;
}

/** Works on the database alone: the service goes on as it is. */
async function printLink(config: Config): Promise<void> {
  const { openDatabase } = await import("./platform/db/open.ts");
  const { furtherLink } = await import("./api/auth/sign-in-link.ts");
  const { database, close } = await openDatabase(
    config,
    createLogger({ level: "silent" }),
    "worker",
  );
  try {
    const link = await furtherLink(database);
    if (link === null) {
      throw new StartupError(
        "the first API key was revoked, and links go by it: sign in at the console with another key",
      );
    }
    process.stdout.write(`${link}\n`);
  } finally {
    await close();
  }
}

async function startWorkers(services: Services): Promise<void> {
  const { startWorkers: startAll } = await import("./workers.ts");
  await startAll(services);
}

/** Where a browser on this machine finds the service. */
function baseUrl(host: string, port: number): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const name = everywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

interface Greeted extends Omit<App, "app"> {
  readonly url: string;
  readonly link: string | null;
}

function greeting(config: Config, greeted: Greeted): string {
  const { url, link, createdKey, configuredKeyRevoked } = greeted;
  const reached = config.publicUrl === undefined ? "" : `\n  Public     ${config.publicUrl}`;
  const key =
    createdKey !== null
      ? `${createdKey}   (shown this once; keep it)`
      : config.apiKey !== undefined
        ? `the one of DISTILLERY_API_KEY${configuredKeyRevoked ? ", which was revoked: choose another" : ""}`
        : "shown at the first start on this database";
  return `
Distillery
  API        ${url}/v1
  Docs       ${url}/docs
  OpenAPI    ${url}/openapi.json${reached}
  Home       ${config.home}
  Workers    ${config.workers === 0 ? "none in this process" : `${config.workers} threads`}
  API key    ${key}

${
  link === null
    ? `Open the console: ${config.publicUrl ?? url}/sign-in`
    : `Open the console: ${link}   (once, within 15 minutes)`
}

`;
}

await runCommand(() => {
  const command = parseCommandLine();
  if (command === null) {
    process.stdout.write(USAGE);
    return null;
  }
  const log = createLogger();
  const { name, config } = command;
  if (name === "link") return { log, task: () => printLink(config) };
  return { log, open: () => (name === "start" ? start(config, log) : work(config, log)) };
});
