import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import { parseConfig } from "./config.ts";
import { StartupError } from "./startup-error.ts";

const MIB = 2 ** 20;

describe("parseConfig", () => {
  test("an empty environment gives the documented defaults", () => {
    const { readMemoryBytes, ...defaults } = parseConfig({});
    // Of the machine.
    expect(readMemoryBytes / MIB).toBeGreaterThanOrEqual(1024);
    expect(readMemoryBytes / MIB).toBeLessThanOrEqual(6144);
    expect(defaults).toEqual({
      sources: new Map(),
      port: 8080,
      host: "127.0.0.1",
      home: resolve(".distillery"),
      objectStore: { kind: "files" },
      previousSecretKeys: [],
      device: "auto",
      adapters: [],
      workers: availableParallelism(),
      servingThreads: Math.max(2, Math.min(8, availableParallelism())),
      modelCacheBytes: 512 * MIB,
      modelDiskBytes: 10_240 * MIB,
      allowPrivateNetwork: false,
      maxUploadBytes: 16_384 * MIB,
      maxColumns: 16_384,
      keepOriginals: true,
      fileRoots: [],
      trustedProxies: [],
      corsOrigins: [],
    });
  });

  test("the empty string counts as absent", () => {
    expect(parseConfig({ PORT: "", DATABASE_URL: "" })).toEqual(parseConfig({}));
  });

  test("options win over the environment, and it is known what was set where", () => {
    const environment = { PORT: "1", HOST: "a", DISTILLERY_WORKERS: "2", PATH: "/bin" };
    const { port, host, sources } = parseConfig(environment, { PORT: "3", HOST: undefined });
    expect([port, host]).toEqual([3, "a"]);
    expect(Object.fromEntries(sources)).toEqual({
      PORT: "option",
      HOST: "environment",
      DISTILLERY_WORKERS: "environment",
    });
  });

  test("every variable is read", () => {
    const { sources, ...config } = parseConfig({
      PORT: "0",
      HOST: "0.0.0.0",
      DISTILLERY_HOME: "/srv/distillery",
      DISTILLERY_API_KEY: "0123456789abcdef",
      DISTILLERY_METRICS_TOKEN: "metrics_0123456789",
      DATABASE_URL: "postgres://u:p@db:5432/d",
      OBJECT_STORE_URL: "s3://bucket/some/prefix/?endpoint=http://minio:9000&region=eu-west-1",
      DISTILLERY_SECRET_KEY: "k".repeat(32),
      DISTILLERY_PREVIOUS_SECRET_KEYS: `${"p".repeat(32)},${"q".repeat(40)}`,
      DISTILLERY_DEVICE: "wasm",
      DISTILLERY_ADAPTER: "H100, ,A10",
      DISTILLERY_WORKERS: "0",
      OIDC_ISSUER: "https://login.example.com",
      OIDC_AUDIENCE: "distillery",
      OIDC_ORGANIZATION_CLAIM: "org",
      LLM_BASE_URL: "https://llm.example.com/v1",
      LLM_API_KEY: "secret",
      LLM_MODEL: "small",
      DISTILLERY_ALLOW_PRIVATE_NETWORK: "1",
      DISTILLERY_MAX_UPLOAD_MIB: "100",
      DISTILLERY_MAX_COLUMNS: "20000",
      DISTILLERY_KEEP_ORIGINALS: "0",
      DISTILLERY_READ_MEMORY_MIB: "2048",
      DISTILLERY_SERVING_THREADS: "3",
      DISTILLERY_MODEL_CACHE_MIB: "64",
      DISTILLERY_MODEL_DISK_MIB: "128",
      DISTILLERY_FILE_ROOTS: "/data:/srv/../srv/tables",
      DISTILLERY_TRUSTED_PROXIES: "10.0.0.0/8, 2001:db8::1",
      DISTILLERY_PUBLIC_URL: "https://ML.example.com/distillery/",
      DISTILLERY_CORS_ORIGINS: "https://app.example.com,http://localhost:3000",
    });
    expect(sources.size).toBeGreaterThan(20);
    expect(config).toEqual({
      port: 0,
      host: "0.0.0.0",
      home: "/srv/distillery",
      apiKey: "0123456789abcdef",
      metricsToken: "metrics_0123456789",
      databaseUrl: "postgres://u:p@db:5432/d",
      objectStore: {
        kind: "s3",
        bucket: "bucket",
        prefix: "some/prefix",
        endpoint: "http://minio:9000",
        region: "eu-west-1",
        forcePathStyle: true,
      },
      secretKey: "k".repeat(32),
      previousSecretKeys: ["p".repeat(32), "q".repeat(40)],
      device: "wasm",
      adapters: ["H100", "A10"],
      workers: 0,
      oidc: {
        issuer: "https://login.example.com",
        audience: "distillery",
        organizationClaim: "org",
      },
      llm: { baseUrl: "https://llm.example.com/v1", apiKey: "secret", model: "small" },
      allowPrivateNetwork: true,
      maxUploadBytes: 100 * MIB,
      maxColumns: 20_000,
      keepOriginals: false,
      readMemoryBytes: 2048 * MIB,
      servingThreads: 3,
      modelCacheBytes: 64 * MIB,
      modelDiskBytes: 128 * MIB,
      fileRoots: ["/data", "/srv/tables"],
      trustedProxies: ["10.0.0.0/8", "2001:db8::1"],
      publicUrl: "https://ml.example.com/distillery",
      corsOrigins: ["https://app.example.com", "http://localhost:3000"],
    });
  });

  test.each([
    ["PORT", "80a80"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["HOST", "a b"],
    ["DISTILLERY_API_KEY", "short"],
    ["DISTILLERY_METRICS_TOKEN", "short"],
    ["DISTILLERY_API_KEY", "sixteen chars with spaces"],
    ["DISTILLERY_TRUSTED_PROXIES", "10.0.0.0/33"],
    ["DISTILLERY_TRUSTED_PROXIES", "proxy.example.com"],
    ["DISTILLERY_TRUSTED_PROXIES", "10.0.1"],
    ["DISTILLERY_PUBLIC_URL", "ml.example.com"],
    ["DISTILLERY_PUBLIC_URL", "https://user:secret@ml.example.com"],
    ["DISTILLERY_PUBLIC_URL", "https://ml.example.com/?a=b"],
    ["DISTILLERY_CORS_ORIGINS", "https://app.example.com/"],
    ["DISTILLERY_CORS_ORIGINS", "shop.example.org"],
    ["DISTILLERY_CORS_ORIGINS", "null"],
    ["DATABASE_URL", "mysql://u@h/d"],
    ["DATABASE_URL", "not a url"],
    ["OBJECT_STORE_URL", "gs://bucket"],
    ["OBJECT_STORE_URL", "s3://q"],
    ["OBJECT_STORE_URL", "s3://bucket?endpoint=ftp://x"],
    ["OBJECT_STORE_URL", "s3://bucket?secret=x"],
    ["OBJECT_STORE_URL", "s3://id:key@bucket/prefix"],
    ["DISTILLERY_SECRET_KEY", "too short"],
    ["DISTILLERY_PREVIOUS_SECRET_KEYS", `${"p".repeat(32)},q7z`],
    ["DISTILLERY_DEVICE", "cuda"],
    ["DISTILLERY_WORKERS", "many"],
    ["DISTILLERY_WORKERS", "1025"],
    ["OIDC_ISSUER", "q7z"],
    ["OIDC_SCOPES", "profile q7z"],
    ["LLM_BASE_URL", "q7z"],
    ["DISTILLERY_ALLOW_PRIVATE_NETWORK", "yes"],
    ["DISTILLERY_FILE_ROOTS", "q7z"],
  ])("a bad %s is one line that names it and does not echo it (%s)", (name, value) => {
    let message = "";
    try {
      parseConfig({ [name]: value });
    } catch (error) {
      expect(error).toBeInstanceOf(StartupError);
      message = (error as StartupError).message;
    }
    expect(message.startsWith(`${name} must `)).toBe(true);
    expect(message).not.toContain("\n");
    expect(message).not.toContain(value);
  });

  test("the environment of other clients of PostgreSQL says what hosts are looked for", () => {
    const url = "postgres://one:5432,two:5433/d";
    const parsed = (attrs: string, given = url) =>
      parseConfig({ DATABASE_URL: given, PGTARGETSESSIONATTRS: attrs }).databaseUrl;
    expect(parsed("")).toBe(url);
    expect(parsed("primary")).toBe(`${url}?target_session_attrs=primary`);
    const own = `${url}?target_session_attrs=any`;
    expect(parsed("standby", own)).toBe(own);
    expect(() => parsed("standby")).toThrow(/^PGTARGETSESSIONATTRS must be any, read-write/);
    expect(parseConfig({ PGTARGETSESSIONATTRS: "standby" }).databaseUrl).toBeUndefined();
  });

  test("halves of a pair are refused", () => {
    expect(() => parseConfig({ OIDC_ISSUER: "https://a.example" })).toThrow(/^OIDC_AUDIENCE must/);
    expect(() => parseConfig({ OIDC_AUDIENCE: "a" })).toThrow(/^OIDC_ISSUER must/);
    expect(() => parseConfig({ OIDC_CLIENT_ID: "a" })).toThrow(/^OIDC_ISSUER must/);
    const issuer = { OIDC_ISSUER: "https://a.example", OIDC_AUDIENCE: "a" };
    expect(() => parseConfig({ ...issuer, OIDC_CLIENT_SECRET: "a" })).toThrow(
      /^OIDC_CLIENT_ID must/,
    );
    expect(parseConfig({ ...issuer, OIDC_CLIENT_ID: "c" }).oidc?.client).toEqual({
      id: "c",
      scope: "openid",
    });
    expect(() => parseConfig({ LLM_BASE_URL: "https://a.example" })).toThrow(/^LLM_MODEL must/);
    expect(() => parseConfig({ LLM_MODEL: "a" })).toThrow(/^LLM_BASE_URL must/);
  });
});

test("what reads the configuration loads no more of the engine than the names of devices", () => {
  const module = JSON.stringify(new URL("./config.ts", import.meta.url).href);
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await import(${module});
    console.log(JSON.stringify(loaded));`;
  const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program]);
  const loaded: string[] = JSON.parse(said.toString());
  expect(loaded).toContain(JSON.parse(module));
  expect(loaded.filter((url) => url.includes("/engine/src/"))).toEqual([
    expect.stringMatching(/\/device-settings\.ts$/),
  ]);
});
