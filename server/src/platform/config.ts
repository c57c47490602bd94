/**
 * The service's configuration: environment variables, parsed once by zod at the start.
 *
 * A bad value is a `StartupError` whose message is one line that names the variable and says what
 * would be right; the value itself is left out where it may be a secret.
 */
import { availableParallelism, totalmem } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import { DEVICES, type DeviceName } from "@distillery/engine/devices";
import { z } from "zod";
import {
  ATTRS_VARIABLE,
  ofFirstHost,
  TAKEN_ATTRS,
  targetAttrs,
  withAttrs,
} from "./database-hosts.ts";
import { type ObjectStoreLocation, parseObjectStoreUrl } from "./object-store-url.ts";
import { StartupError } from "./startup-error.ts";
import { flag, integer, isBaseUrl, isNetwork, isOrigin, list, url } from "./variable-forms.ts";

/** By what a variable got its value. */
export type SettingSource = "environment" | "option";

export interface Config {
  /** Where the variables that were set were set; of the others the defaults hold. */
  readonly sources: ReadonlyMap<string, SettingSource>;
  /** TCP port, 0 = any free one. */
  readonly port: number;
  readonly host: string;
  /** Absolute path of the folder that holds everything this installation owns. */
  readonly home: string;
  /** Bootstrap API key chosen by the operator. */
  readonly apiKey?: string;
  /** Opens the metrics of the process and of every organization; absent = nothing does. */
  readonly metricsToken?: string;
  /** Absent = embedded PostgreSQL under `home`. */
  readonly databaseUrl?: string;
  readonly objectStore: ObjectStoreLocation;
  /** Key material for sealing and signing; absent = generated under `home`. */
  readonly secretKey?: string;
  /** Key material of before: opens what was sealed with it. */
  readonly previousSecretKeys: readonly string[];
  readonly device: DeviceName;
  /** Parts of names of GPU adapters that take fits side by side; empty = the one that the system prefers. */
  readonly adapters: readonly string[];
  /** Pool threads of this process; 0 = it serves the API and works no queue. */
  readonly workers: number;
  /** Threads that answer requests for predictions. */
  readonly servingThreads: number;
  /** Of the files of the models that each of them holds. */
  readonly modelCacheBytes: number;
  /** Of the local copies of models that are kept on disk. */
  readonly modelDiskBytes: number;
  readonly oidc?: {
    readonly issuer: string;
    readonly audience: string;
    readonly organizationClaim: string;
    /** Lets people sign in at the console by the issuer; absent = access tokens alone are taken. */
    readonly client?: {
      readonly id: string;
      /** Absent of a public client. */
      readonly secret?: string;
      /** That a sign-in asks for, separated by spaces; `openid` is among them. */
      readonly scope: string;
    };
  };
  readonly llm?: { readonly baseUrl: string; readonly apiKey?: string; readonly model: string };
  /** Outbound calls may reach private, loopback and link-local addresses. */
  readonly allowPrivateNetwork: boolean;
  /** Of one dataset's file, unpacked. */
  readonly maxUploadBytes: number;
  /** Of one dataset. */
  readonly maxColumns: number;
  /** Of a process that reads one dataset. */
  readonly readMemoryBytes: number;
  /** Datasets keep the bytes that they were registered with, beside the file that is read. */
  readonly keepOriginals: boolean;
  /** Absolute folders that `file:` connectors may read. */
  readonly fileRoots: readonly string[];
  /** Addresses and networks (CIDR) of the proxies whose `X-Forwarded-*` headers are believed. */
  readonly trustedProxies: readonly string[];
  /** Where callers reach the service, without a slash at its end; absent = as each request says. */
  readonly publicUrl?: string;
  /** Origins whose pages may call the service from a browser. */
  readonly corsOrigins: readonly string[];
}

const MIB = 2 ** 20;

/** MiB: half of what this machine or container has, and no more than most tables ever need. */
function readMemoryOfMachine(): number {
  const constrained = process.constrainedMemory();
  const machine = totalmem();
  const memory = constrained > 0 && constrained < machine ? constrained : machine;
  return Math.round(Math.min(6144, Math.max(1024, memory / 2 / MIB)));
}

/** One a core, and two at least: a long request has one, those behind it the other. */
const servingThreadsOfMachine = (): number => Math.max(2, Math.min(8, availableParallelism()));

const environmentSchema = z.object({
  PORT: integer(0, 65535, "a TCP port, 0 to 65535 (0 = any free one)").default(8080),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, "a host name or address such as 127.0.0.1 or 0.0.0.0")
    .default("127.0.0.1"),
  DISTILLERY_HOME: z.string().default(".distillery"),
  DISTILLERY_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, "16 or more printable characters without spaces")
    .optional(),
  DISTILLERY_METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, "16 or more printable characters without spaces")
    .optional(),
  DATABASE_URL: z
    .string()
    .refine((value) => {
      const parsed = URL.parse(ofFirstHost(value));
      return parsed !== null && ["postgres:", "postgresql:"].includes(parsed.protocol);
    }, "a URL such as postgres://user:password@host:5432/database")
    .refine((value) => {
      const attrs = targetAttrs(value);
      return attrs === undefined || TAKEN_ATTRS.includes(attrs);
    }, "a URL whose target_session_attrs, where it has them, are any, read-write or primary, since the service writes")
    .optional(),
  OBJECT_STORE_URL: z.string().optional(),
  DISTILLERY_SECRET_KEY: z.string().min(32, "32 or more characters of key material").optional(),
  DISTILLERY_PREVIOUS_SECRET_KEYS: z
    .string()
    .transform((value) => value.split(",").filter((key) => key !== ""))
    .refine(
      (keys) => keys.every((key) => key.length >= 32),
      "keys of 32 or more characters, separated by commas",
    )
    .default([]),
  DISTILLERY_DEVICE: z.enum(DEVICES, `one of ${DEVICES.join(", ")}`).default("auto"),
  DISTILLERY_ADAPTER: z
    .string()
    .transform((value) => value.split(",").map((name) => name.trim()))
    .transform((names) => names.filter((name) => name !== ""))
    .default([]),
  DISTILLERY_WORKERS: integer(0, 1024, "a number of threads, 0 to 1024 (0 = API only)").optional(),
  DISTILLERY_SERVING_THREADS: integer(1, 256, "a number of threads, 1 to 256").optional(),
  DISTILLERY_MODEL_CACHE_MIB: integer(1, 2 ** 20, "a number of MiB, 1 to 1048576").default(512),
  DISTILLERY_MODEL_DISK_MIB: integer(1, 2 ** 24, "a number of MiB, 1 to 16777216").default(10_240),
  OIDC_ISSUER: url(
    ["https:", "http:"],
    "the issuer's URL, such as https://login.example.com",
  ).optional(),
  OIDC_AUDIENCE: z.string().optional(),
  OIDC_ORGANIZATION_CLAIM: z.string().default("organization"),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SCOPES: z
    .string()
    // RFC 6749 §3.3.
    .regex(
      /^(?:[!#-[\]-~]+ )*openid(?: [!#-[\]-~]+)*$/,
      "scopes separated by single spaces, openid among them, such as openid profile",
    )
    .default("openid"),
  LLM_BASE_URL: url(["https:", "http:"], "a URL such as https://llm.example.com/v1").optional(),
  LLM_API_KEY: z.string().optional(),
  LLM_MODEL: z.string().optional(),
  DISTILLERY_ALLOW_PRIVATE_NETWORK: flag("1 or 0").default(false),
  DISTILLERY_MAX_UPLOAD_MIB: integer(1, 2 ** 24, "a number of MiB, 1 to 16777216").default(16_384),
  DISTILLERY_MAX_COLUMNS: integer(1, 2 ** 20, "a number of columns, 1 to 1048576").default(16_384),
  DISTILLERY_READ_MEMORY_MIB: integer(512, 2 ** 20, "a number of MiB, 512 to 1048576").optional(),
  DISTILLERY_KEEP_ORIGINALS: flag("1 or 0").default(true),
  DISTILLERY_FILE_ROOTS: z
    .string()
    .transform((value) => value.split(":").filter((root) => root !== ""))
    .refine(
      (roots) => roots.every((root) => root.startsWith("/")),
      "absolute folders, separated by colons",
    )
    .default([]),
  DISTILLERY_TRUSTED_PROXIES: list(
    isNetwork,
    "addresses or networks such as 10.0.0.0/8, separated by commas",
  ).default([]),
  DISTILLERY_PUBLIC_URL: z
    .string()
    .refine(
      isBaseUrl,
      "an https or http URL without credentials, query and fragment, such as https://distillery.example.com",
    )
    .transform((value) => URL.parse(value)?.href.replace(/\/+$/, ""))
    .optional(),
  DISTILLERY_CORS_ORIGINS: list(
    (item) => item === "*" || isOrigin(item),
    "origins such as https://app.example.com, separated by commas, or *",
  ).default([]),
});

/** Names of every variable the service reads, for documentation and tests. */
export const CONFIG_VARIABLES = Object.keys(environmentSchema.shape);

/**
 * Parses the environment. A variable set to the empty string counts as absent.
 *
 * @param options of the command line, by the variables that they stand for: they win
 * @throws StartupError one line, naming the first variable that is wrong
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  options: Readonly<Record<string, string | undefined>> = {},
): Config {
  const given = Object.fromEntries(
    CONFIG_VARIABLES.map((name) => [name, options[name] || environment[name] || undefined]),
  );
  const parsed = environmentSchema.safeParse(given);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw new StartupError(`${issue.path.join(".")} must be ${issue.message}`);
  }
  const values = parsed.data;
  const oidc = parseOidc(values);
  const llm = parseLlm(values);
  const sources = new Map<string, SettingSource>();
  for (const name of CONFIG_VARIABLES) {
    if (options[name]) sources.set(name, "option");
    else if (environment[name]) sources.set(name, "environment");
  }
  return {
    sources,
    port: values.PORT,
    host: values.HOST,
    home: resolve(values.DISTILLERY_HOME),
    ...(values.DISTILLERY_API_KEY !== undefined && { apiKey: values.DISTILLERY_API_KEY }),
    ...(values.DISTILLERY_METRICS_TOKEN !== undefined && {
      metricsToken: values.DISTILLERY_METRICS_TOKEN,
    }),
    ...(values.DATABASE_URL !== undefined && {
      databaseUrl: asForLibpq(values.DATABASE_URL, environment[ATTRS_VARIABLE]),
    }),
    objectStore: parseObjectStoreUrl(values.OBJECT_STORE_URL),
    ...(values.DISTILLERY_SECRET_KEY !== undefined && { secretKey: values.DISTILLERY_SECRET_KEY }),
    previousSecretKeys: values.DISTILLERY_PREVIOUS_SECRET_KEYS,
    device: values.DISTILLERY_DEVICE,
    adapters: values.DISTILLERY_ADAPTER,
    workers: values.DISTILLERY_WORKERS ?? availableParallelism(),
    servingThreads: values.DISTILLERY_SERVING_THREADS ?? servingThreadsOfMachine(),
    modelCacheBytes: values.DISTILLERY_MODEL_CACHE_MIB * MIB,
    modelDiskBytes: values.DISTILLERY_MODEL_DISK_MIB * MIB,
    ...(oidc && { oidc }),
    ...(llm && { llm }),
    allowPrivateNetwork: values.DISTILLERY_ALLOW_PRIVATE_NETWORK,
    maxUploadBytes: values.DISTILLERY_MAX_UPLOAD_MIB * MIB,
    maxColumns: values.DISTILLERY_MAX_COLUMNS,
    readMemoryBytes: (values.DISTILLERY_READ_MEMORY_MIB ?? readMemoryOfMachine()) * MIB,
    keepOriginals: values.DISTILLERY_KEEP_ORIGINALS,
    fileRoots: values.DISTILLERY_FILE_ROOTS.map((root) => resolve(root)),
    trustedProxies: values.DISTILLERY_TRUSTED_PROXIES,
    ...(values.DISTILLERY_PUBLIC_URL !== undefined && { publicUrl: values.DISTILLERY_PUBLIC_URL }),
    corsOrigins: values.DISTILLERY_CORS_ORIGINS,
  };
}

type Values = z.output<typeof environmentSchema>;

/** The URL with the state that the environment asks for, as for other clients of PostgreSQL. */
function asForLibpq(url: string, attrs: string | undefined): string {
  if (!attrs || targetAttrs(url) !== undefined) return url;
  if (TAKEN_ATTRS.includes(attrs)) return withAttrs(url, attrs);
  throw new StartupError(
    `${ATTRS_VARIABLE} must be any, read-write or primary, since the service writes`,
  );
}

function parseOidc(values: Values): Config["oidc"] {
  if (values.OIDC_ISSUER === undefined) {
    if (values.OIDC_CLIENT_ID !== undefined) {
      throw new StartupError("OIDC_ISSUER must be set when OIDC_CLIENT_ID is");
    }
    if (values.OIDC_AUDIENCE === undefined) return undefined;
    throw new StartupError("OIDC_ISSUER must be set when OIDC_AUDIENCE is");
  }
  if (values.OIDC_AUDIENCE === undefined) {
    throw new StartupError(
      "OIDC_AUDIENCE must be set when OIDC_ISSUER is: the audience that tokens are made out to",
    );
  }
  const { OIDC_CLIENT_ID: id, OIDC_CLIENT_SECRET: secret, OIDC_SCOPES: scope } = values;
  if (id === undefined && secret !== undefined) {
    throw new StartupError("OIDC_CLIENT_ID must be set when OIDC_CLIENT_SECRET is");
  }
  return {
    issuer: values.OIDC_ISSUER,
    audience: values.OIDC_AUDIENCE,
    organizationClaim: values.OIDC_ORGANIZATION_CLAIM,
    ...(id !== undefined && { client: { id, ...(secret !== undefined && { secret }), scope } }),
  };
}

function parseLlm(values: Values): Config["llm"] {
  if (values.LLM_BASE_URL === undefined) {
    if (values.LLM_MODEL === undefined && values.LLM_API_KEY === undefined) return undefined;
    throw new StartupError("LLM_BASE_URL must be set when LLM_MODEL or LLM_API_KEY is");
  }
  if (values.LLM_MODEL === undefined) {
    throw new StartupError(
      "LLM_MODEL must be set when LLM_BASE_URL is: the model's name at that service",
    );
  }
  return {
    baseUrl: values.LLM_BASE_URL,
    ...(values.LLM_API_KEY !== undefined && { apiKey: values.LLM_API_KEY }),
    model: values.LLM_MODEL,
  };
}
