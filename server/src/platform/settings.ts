/** The settings of the process as an operator may read them: what holds and where it comes from, no secrets. */

import { CONFIG_VARIABLES, type Config, type SettingSource } from "./config.ts";
import { hostsOf, ofFirstHost } from "./database-hosts.ts";

export interface Setting {
  /** Of the variable. */
  readonly name: string;
  /** That holds, as it would be written; null where nothing is set, and of secrets. */
  readonly value: string | null;
  readonly source: SettingSource | "default";
  readonly isSecret: boolean;
  /** Whether there is a value, of secrets too. */
  readonly isSet: boolean;
}

const SECRETS: ReadonlySet<string> = new Set([
  "DISTILLERY_API_KEY",
  "DISTILLERY_METRICS_TOKEN",
  "DISTILLERY_SECRET_KEY",
  "DISTILLERY_PREVIOUS_SECRET_KEYS",
  "OIDC_CLIENT_SECRET",
  "LLM_API_KEY",
]);

const MIB = 2 ** 20;

/** Every variable that the service reads, in the order of the documentation. */
export function settingsOf(config: Config): readonly Setting[] {
  const values = valuesOf(config);
  return CONFIG_VARIABLES.map((name) => {
    const source = config.sources.get(name) ?? "default";
    const isSecret = SECRETS.has(name);
    const value = isSecret ? null : (values[name] ?? null);
    return {
      name,
      value,
      source,
      isSecret,
      isSet: isSecret ? source !== "default" : value !== null,
    };
  });
}

function valuesOf(config: Config): Readonly<Record<string, string | undefined>> {
  const flag = (value: boolean): string => (value ? "1" : "0");
  const mib = (bytes: number): string => String(bytes / MIB);
  const list = (values: readonly string[], by: string): string | undefined =>
    values.length === 0 ? undefined : values.join(by);
  const { oidc, llm } = config;
  return {
    PORT: String(config.port),
    HOST: config.host,
    DISTILLERY_HOME: config.home,
    DATABASE_URL: databaseUrl(config.databaseUrl),
    OBJECT_STORE_URL: objectStoreUrl(config.objectStore),
    DISTILLERY_DEVICE: config.device,
    DISTILLERY_ADAPTER: config.adapters.join(", ") || undefined,
    DISTILLERY_WORKERS: String(config.workers),
    DISTILLERY_SERVING_THREADS: String(config.servingThreads),
    DISTILLERY_MODEL_CACHE_MIB: mib(config.modelCacheBytes),
    DISTILLERY_MODEL_DISK_MIB: mib(config.modelDiskBytes),
    OIDC_ISSUER: withoutSecrets(oidc?.issuer),
    OIDC_AUDIENCE: oidc?.audience,
    OIDC_ORGANIZATION_CLAIM: oidc?.organizationClaim,
    OIDC_CLIENT_ID: oidc?.client?.id,
    OIDC_SCOPES: oidc?.client?.scope,
    LLM_BASE_URL: withoutSecrets(llm?.baseUrl),
    LLM_MODEL: llm?.model,
    DISTILLERY_ALLOW_PRIVATE_NETWORK: flag(config.allowPrivateNetwork),
    DISTILLERY_MAX_UPLOAD_MIB: mib(config.maxUploadBytes),
    DISTILLERY_MAX_COLUMNS: String(config.maxColumns),
    DISTILLERY_READ_MEMORY_MIB: mib(config.readMemoryBytes),
    DISTILLERY_KEEP_ORIGINALS: flag(config.keepOriginals),
    DISTILLERY_FILE_ROOTS: list(config.fileRoots, ":"),
    DISTILLERY_TRUSTED_PROXIES: list(config.trustedProxies, ","),
    DISTILLERY_PUBLIC_URL: config.publicUrl,
    DISTILLERY_CORS_ORIGINS: list(config.corsOrigins, ","),
  };
}

/** As `withoutSecrets`, with all hosts. */
function databaseUrl(url: string | undefined): string | undefined {
  const said = url === undefined ? undefined : withoutSecrets(ofFirstHost(url));
  if (url === undefined || said === undefined) return undefined;
  const [, ...others] = hostsOf(url);
  const more = others.map(({ name, port }) => `,${name}:${port}`).join("");
  return said.replace(/^([a-z]+:\/\/[^/]*)/, (start) => start + more);
}

/** Host and path alone: users, passwords and queries (`?password=…`) stay unsaid. */
function withoutSecrets(url: string | undefined): string | undefined {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null) return undefined;
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

function objectStoreUrl(store: Config["objectStore"]): string | undefined {
  if (store.kind === "files") return undefined;
  const { bucket, prefix, endpoint, region, forcePathStyle } = store;
  const query = new URLSearchParams();
  const host = withoutSecrets(endpoint);
  if (host !== undefined) query.set("endpoint", host);
  if (region !== undefined) query.set("region", region);
  query.set("pathStyle", forcePathStyle ? "1" : "0");
  return `s3://${bucket}${prefix === "" ? "" : `/${prefix}`}?${decodeURIComponent(`${query}`)}`;
}
