import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { serverAccount } from "./platform/db/embedded/account.ts";
import { placeServer } from "./platform/db/embedded/placement.ts";
import { postmasterState } from "./platform/db/embedded/postmaster.ts";
import { Child } from "./testing/child.ts";

const folder = await mkdtemp(join(tmpdir(), "distillery-cli-"));
const home = join(folder, "home");
await writeFile(join(folder, "file"), "");

const children: Child[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill("SIGTERM");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function cli(parameters: readonly string[], env: NodeJS.ProcessEnv = {}): Child {
  const child = new Child("../cli.ts", parameters, {
    DISTILLERY_WORKERS: "1",
    DISTILLERY_API_KEY: "",
    DATABASE_URL: "",
    ...env,
  });
  children.push(child);
  return child;
}

const start = (env: NodeJS.ProcessEnv = {}) => cli(["start", "--port", "0", "--home", home], env);

/** The base URL that the greeting names. */
async function url(child: Child): Promise<string> {
  const line = await child.line(/^ {2}API +http/);
  return line.replace(/^ {2}API +/, "").replace(/\/v1$/, "");
}

async function database(): Promise<string> {
  const { data } = await placeServer(home, await serverAccount());
  return (await postmasterState(data)).kind;
}

describe("a command line", () => {
  test("--help prints the commands and variables", async () => {
    const child = cli(["--help"]);
    expect(await child.end()).toBe(0);
    const text = child.lines.join("\n");
    for (const word of ["start", "worker", "--port", "--host", "--home", "DISTILLERY_WORKERS"]) {
      expect(text).toContain(word);
    }
  });

  test.each([
    [[], {}, /the command must be start, worker or link/],
    [["serve"], {}, /the command must be start, worker or link/],
    [
      ["strat"],
      {},
      /the command must be start, worker or link; did you mean start\? \(see --help\)\n$/,
    ],
    [
      ["start", "--prot", "1"],
      {},
      /there is no option --prot; did you mean --port\? \(see --help\)\n$/,
    ],
    [["start", "--verbose"], {}, /there is no option --verbose \(see --help\)\n$/],
    [["start", "--port", "x"], {}, /PORT must be a TCP port/],
    [["start"], { DISTILLERY_WORKERS: "many" }, /DISTILLERY_WORKERS must be a number of threads/],
    [["worker"], { DISTILLERY_WORKERS: "0" }, /DISTILLERY_WORKERS must be at least 1/],
    [
      ["start", "--home", home],
      { DATABASE_URL: "postgres://u:p@127.0.0.1:1/d" },
      /the database of DATABASE_URL does not answer/,
    ],
    [["worker", "--home", join(folder, "nobody")], {}, /no server runs on/],
    [["start", "link", "--home", join(folder, "nobody")], {}, /no server runs on/],
    [["link", "start"], {}, /the command must be start, worker or link/],
    [["start", "--home", join(folder, "file", "home")], {}, /there is a file of this name/],
    // Where a folder is there and none can be made in it.
    [["start", "--home", "/proc/home"], {}, /\/proc\/home cannot be made/],
    // Nobody may make a folder in it, root neither.
    [["start", "--home", "/sys/kernel/home"], {}, /\/sys\/kernel\/home .*--home/],
  ])("%j with %j is one line and exit 1", async (parameters, env, expected) => {
    const child = cli(parameters, env);
    expect(await child.end()).toBe(1);
    expect(child.errors).toMatch(/^distillery: [^\n]+\n$/);
    expect(child.errors).toMatch(expected);
  });
});

describe("start", () => {
  test("greets with its URLs and a key once, serves, and leaves nothing when stopped", async () => {
    const first = start();
    const base = await url(first);
    const shown = await first.line(/^ {2}API key +dk_/);
    const key = /dk_\w+/.exec(shown)?.[0];
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    expect((await fetch(`${base}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${base}/docs`)).status).toBe(200);
    expect((await fetch(`${base}/v1/datasets`, { headers })).status).toBe(200);
    expect((await fetch(`${base}/v1/datasets`)).status).toBe(401);
    expect(await first.kill("SIGINT")).toBe(0);
    expect(await database()).toBe("none");

    const second = start();
    const again = await url(second);
    expect(await second.line(/^ {2}API key /)).not.toContain("dk_");
    expect((await fetch(`${again}/v1/datasets`, { headers })).status).toBe(200);
    expect(await second.kill("SIGTERM")).toBe(0);
    expect(await database()).toBe("none");
  });

  test("a port that is taken is one line and exit 1, with nothing left running", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const child = cli(["start", "--port", String(port), "--home", home]);
    expect(await child.end()).toBe(1);
    expect(child.errors).toMatch(
      new RegExp(`^distillery: port ${port} of 127\\.0\\.0\\.1 is taken: [^\n]+\n$`),
    );
    expect(await database()).toBe("none");
    other.close();
  });

  test("a second start beside it is refused; a worker joins it", async () => {
    const server = start();
    const base = await url(server);
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    const second = start();
    expect(await second.end()).toBe(1);
    expect(second.errors).toMatch(/^distillery: another process uses [^\n]+\n$/);
    const worker = cli(["worker", "--home", home]);
    await worker.line(/^Distillery worker, 1 threads$/);
    expect(await worker.kill("SIGTERM")).toBe(0);
    expect((await fetch(`${base}/readyz`)).status).toBe(200);
  });

  test("a second signal ends it at once, and its database with it", async () => {
    const server = start();
    await url(server);
    server.process.kill("SIGTERM");
    server.process.kill("SIGINT");
    await server.end();
    while ((await database()) !== "none") await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
