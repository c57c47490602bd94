import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { permissionFlags } from "../../platform/processes/permission-flags.ts";
import { DocumentFault } from "./document-fault.ts";
import { PARSING_LIMITS } from "./limits.ts";
import { ParserPool, type ParserPoolLimits, type ParserSource } from "./parser-pool.ts";
import { outline } from "./testing/outline.ts";

const MIB = 1 << 20;
const pools: ParserPool[] = [];

function poolOf(limits: Partial<ParserPoolLimits> = {}): ParserPool {
  const pool = new ParserPool({ processes: 1, ...limits });
  pools.push(pool);
  return pool;
}

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const source = (text: string | Buffer, organizationId?: string): ParserSource => ({
  bytes: Buffer.from(text),
  name: "a.txt",
  mediaType: null,
  ...(organizationId === undefined ? {} : { organizationId }),
});

const never = (): AbortSignal => new AbortController().signal;

/** The outline, or the fault's code. */
async function read(pool: ParserPool, from: ParserSource): Promise<string> {
  try {
    return outline(await pool.parse(from, never()))
      .join("\n")
      .slice(0, 100);
  } catch (error) {
    if (error instanceof DocumentFault) return error.code;
    throw error;
  }
}

const SMALL = source("Total:  9.00");
/** Takes tens of milliseconds and megabytes. */
const LARGE = source("Total:  9.00 and more words\n".repeat(40_000));

describe("a pool of parsers", () => {
  it("reads files and bytes, several at once, and tells faults as the parser does", async () => {
    const folder = await mkdtemp(join(tmpdir(), "parser-pool-"));
    try {
      const path = join(folder, "a.html");
      await writeFile(path, "<h1>Title</h1><p>text</p>");
      const pool = poolOf({ processes: 2 });
      const reads = Array.from({ length: 9 }, (_, index) =>
        read(
          pool,
          index % 3 === 0 ? { path, name: "a.html", mediaType: null } : source(`n  ${index}`),
        ),
      );
      expect(await Promise.all(reads)).toEqual(
        reads.map((_, index) => (index % 3 === 0 ? "h1: Title\np: text" : `p: n ¦ ${index}`)),
      );
      expect(await read(pool, source(""))).toBe("empty");
      expect(await read(pool, source(Buffer.alloc(5000)))).toBe("unsupported");
      await expect(
        pool.parse({ path: join(folder, "none"), name: "", mediaType: null }, never()),
      ).rejects.toMatchObject({ code: "ENOENT" });
      expect(await read(pool, SMALL)).toBe("p: Total: ¦ 9.00");
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("ends what takes too long, and goes on with the next", async () => {
    const pool = poolOf({ wallMs: 1 });
    expect(await read(pool, LARGE)).toBe("took_too_long");
    const patient = poolOf();
    expect(await read(patient, SMALL)).toBe("p: Total: ¦ 9.00");
  });

  it.runIf(process.platform === "linux")(
    "ends what takes more processor time than a file of its size may",
    async () => {
      const withTime = (fileMs: number, byteMs: number) =>
        poolOf({ parsing: { ...PARSING_LIMITS, processorTime: { fileMs, byteMs } } });
      const pool = withTime(20, 0);
      await expect(pool.parse(LARGE, never())).rejects.toMatchObject({
        code: "took_too_long",
        message: expect.stringContaining("of processor time, the most for one of its size"),
      });
      expect(await read(withTime(20, 1000), LARGE)).not.toBe("took_too_long");
    },
  );

  it("ends what takes too much memory, seen from outside or by its own heap", async () => {
    expect(await read(poolOf({ residentBytes: 20 * MIB }), LARGE)).toBe("too_large");
    const tight = poolOf({ heapMegabytes: 24 });
    expect(await read(tight, LARGE)).toBe("too_large");
    expect(await read(tight, SMALL)).toBe("p: Total: ¦ 9.00");
  });

  it("bounds the file and what is made of it", async () => {
    const parsing = { ...PARSING_LIMITS, fileBytes: 1000, outputBytes: 500 };
    const pool = poolOf({ parsing });
    expect(await read(pool, source("a".repeat(1001)))).toBe("too_large");
    expect(await read(pool, source("a b  ".repeat(100)))).toBe("too_large");
    expect(await read(pool, SMALL)).toBe("p: Total: ¦ 9.00");
  });

  it("stops when it is told to, while it works and while it waits", async () => {
    const pool = poolOf();
    const [first, second] = [new AbortController(), new AbortController()];
    const working = pool.parse(LARGE, first.signal);
    const waiting = pool.parse(SMALL, second.signal);
    const last = read(pool, SMALL);
    second.abort(new Error("not wanted"));
    await expect(waiting).rejects.toThrow("not wanted");
    first.abort(new Error("stopped"));
    await expect(working).rejects.toThrow("stopped");
    expect(await last).toBe("p: Total: ¦ 9.00");
  });

  it("renews processes, and shares none between organizations", async () => {
    const pool = poolOf({ tasksOfProcess: 2 });
    const pids: number[][] = [];
    for (const owner of ["a", "a", "a", "b", "a"]) {
      await read(pool, source("text", owner));
      pids.push(pool.pids);
    }
    expect(pids.map(({ length }) => length)).toEqual([1, 0, 1, 1, 1]);
    expect(new Set(pids.flat()).size).toBe(4);
  });

  it("fails what it works on when it is closed", async () => {
    const pool = poolOf();
    const working = pool.parse(LARGE, never());
    await pool.close();
    await expect(working).rejects.toThrow("closed");
    await expect(pool.parse(SMALL, never())).rejects.toThrow("closed");
  });
});

describe("a parser's process", () => {
  it("reads its own code only, writes nothing and starts nothing", () => {
    const attempts = [
      `fs.readFileSync(${JSON.stringify(fileURLToPath(new URL("../../../../package.json", import.meta.url)))})`,
      "fs.readdirSync('/proc/self')",
      "fs.writeFileSync('/tmp/parser-was-here', '')",
      "child_process.spawnSync('true')",
    ];
    const script = attempts.map(
      (attempt) => `try { ${attempt}; console.log("did") } catch (e) { console.log(e.code) }`,
    );
    const { stdout } = spawnSync(process.execPath, [...permissionFlags(), "-e", script.join(";")], {
      env: {},
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual(attempts.map(() => "ERR_ACCESS_DENIED"));
  });

  it("has no network", () => {
    const module = JSON.stringify(
      new URL("../../platform/processes/no-network.ts", import.meta.url).href,
    );
    const script = `
      import net from "node:net"; import http from "node:http";
      (await import(${module})).refuseNetwork();
      const tell = (attempt) => { try { attempt(); console.log("did") } catch (e) { console.log(e.message) } };
      tell(() => net.connect(9, "127.0.0.1")); tell(() => fetch("http://127.0.0.1:9/"));
      tell(() => http.get("http://127.0.0.1:9/"));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      env: {},
      encoding: "utf8",
    });
    expect(stdout.trim().split("\n")).toEqual(Array(3).fill("this process has no network"));
  });
});
