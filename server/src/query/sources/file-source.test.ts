/** Ways out of a folder, and what is no file; the contract is in object-source.test.ts. */

import { execFileSync } from "node:child_process";
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { allowedFolder, FileSource } from "./file-source.ts";
import type { SourceObject } from "./object-source.ts";
import { SourceChangedError, SourceError, SourceUrlError } from "./source-error.ts";

const { signal } = new AbortController();
let folder: string;
let root: string;
let source: FileSource;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "distillery-files-"));
  root = join(folder, "root");
  await mkdir(join(root, "inner"), { recursive: true });
  await mkdir(join(folder, "outside"));
  await writeFile(join(folder, "outside/secret"), "secret");
  await writeFile(join(root, "inner/file"), "inside");
  await symlink(join(folder, "outside/secret"), join(root, "out"));
  await symlink("../../outside", join(root, "inner/out-folder"));
  await symlink("inner/file", join(root, "in"));
  await symlink("inner", join(root, "in-folder"));
  await symlink("..", join(root, "inner/up"));
  await symlink("circle-b", join(root, "circle-a"));
  await symlink("circle-a", join(root, "circle-b"));
  await symlink("nowhere", join(root, "dangling"));
  await symlink("/dev/zero", join(root, "device"));
  execFileSync("mkfifo", [join(root, "fifo")]);
  source = await FileSource.open(`file://${root}/`, [folder]);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function listed(prefix = ""): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of source.list(prefix, signal)) keys.push(key);
  return keys;
}

async function text(object: SourceObject): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source.read(object, signal)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function mustHead(key: string): Promise<SourceObject> {
  const object = await source.head(key, signal);
  if (object === null) throw new Error(`${key} is not there`);
  return object;
}

describe("links", () => {
  test("are followed inside, to folders only where they are named, and listed nowhere else", async () => {
    expect(await listed()).toEqual(["in", "inner/file"]);
    expect(await listed("in-folder/")).toEqual(["in-folder/file"]);
    expect(await text(await mustHead("in"))).toBe("inside");
    expect(await text(await mustHead("in-folder/file"))).toBe("inside");
    expect(await text(await mustHead("inner/up/in"))).toBe("inside");
  });

  test.each(["out", "inner/out-folder/secret", "in-folder/out-folder/secret"])(
    "that lead out are refused: %s",
    async (key) => {
      await expect(source.head(key, signal)).rejects.toThrow(/leads out of the folder/);
      const object = { key, bytes: 6, modifiedAt: new Date(0), version: "v" };
      await expect(text(object)).rejects.toThrow(SourceUrlError);
      await expect(source.linkTo(object, join(folder, "linked"))).rejects.toThrow(SourceUrlError);
      await expect(stat(join(folder, "linked"))).rejects.toThrow("ENOENT");
    },
  );

  test("to folders outside list nothing", async () => {
    await expect(listed("inner/out-folder/")).rejects.toThrow(SourceUrlError);
  });

  test("in a circle or to nowhere are told", async () => {
    await expect(source.head("circle-a", signal)).rejects.toThrow(/circle/);
    expect(await source.head("dangling", signal)).toBeNull();
  });

  test("put in a file's place after it was listed are refused", async () => {
    await writeFile(join(root, "swapped"), "before");
    const object = await mustHead("swapped");
    await rm(join(root, "swapped"));
    await symlink(join(folder, "outside/secret"), join(root, "swapped"));
    await expect(text(object)).rejects.toThrow(SourceUrlError);
    await rm(join(root, "swapped"));

    await mkdir(join(root, "moved"));
    await writeFile(join(root, "moved/secret"), "before");
    const inner = await mustHead("moved/secret");
    await rename(join(root, "moved"), join(folder, "moved-away"));
    await symlink(join(folder, "outside"), join(root, "moved"));
    await expect(text(inner)).rejects.toThrow(SourceUrlError);
    await rm(join(root, "moved"));
  });

  test("swapped to and fro while files are read never give what lies outside", async () => {
    const place = join(root, "restless");
    await mkdir(place);
    await writeFile(join(place, "secret"), "inside");
    const object = await mustHead("restless/secret");
    await rename(place, join(folder, "restless-real"));
    await symlink(join(folder, "outside"), place);
    let going = true;
    const swap = async () => {
      while (going) {
        await symlink(join(folder, "outside"), join(folder, "link"));
        await rename(join(folder, "link"), place);
        await rm(place);
        await rename(join(folder, "restless-real"), place);
        await rename(place, join(folder, "restless-real"));
      }
    };
    const swapping = swap();
    const seen = new Set<string>();
    for (let attempt = 0; attempt < 300; attempt++) {
      const outcome = await text(object).catch((error: unknown) => {
        if (error instanceof SourceUrlError) return "refused";
        if (error instanceof SourceChangedError) return "changed";
        throw error;
      });
      seen.add(outcome);
    }
    going = false;
    await swapping;
    expect(seen).not.toContain("secret");
    expect(seen.size).toBeGreaterThan(0);
  });
});

describe("what is no regular file", () => {
  test("FIFOs, devices and sockets are refused at once, and not listed", async () => {
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await listed()).toEqual(["in", "inner/file"]);
    for (const key of ["fifo", "device", "socket"]) {
      await expect(source.head(key, signal)).rejects.toThrow(/not a regular file/);
    }
    await new Promise((resolve) => server.close(resolve));
  });

  test("whose names no path can say are told, and not passed over", async () => {
    await mkdir(join(root, "odd/y=20\n20"), { recursive: true });
    await writeFile(join(root, "odd/a.csv"), "x");
    await expect(listed("odd/")).rejects.toThrow(
      /odd\/ holds "y=20\\n20", a name with a line break/,
    );
    expect(await listed("odd/a")).toEqual(["odd/a.csv"]);
    await rename(join(root, "odd/y=20\n20"), join(root, "odd/.y=20\n20"));
    expect(await listed("odd/")).toEqual(["odd/a.csv"]);
  });

  test("a folder is no object", async () => {
    expect(await source.head("inner", signal)).toBeNull();
    expect(await source.head("", signal)).toBeNull();
  });

  test.each([
    "../outside/secret",
    "inner/../../outside/secret",
    "a//b",
    "/etc/passwd",
    "a\\b",
    "a\0b",
    "./in",
  ])("%j is no key", async (key) => {
    await expect(source.head(key, signal)).rejects.toThrow(SourceUrlError);
  });
});

describe("versions", () => {
  test("a file that changes while it is read is told", async () => {
    await writeFile(join(root, "growing"), "x".repeat(600_000));
    const object = await mustHead("growing");
    const reading = source.read(object, signal)[Symbol.asyncIterator]();
    await reading.next();
    await writeFile(join(root, "growing"), "y".repeat(600_000));
    const rest = async () => {
      while (!(await reading.next()).done);
    };
    await expect(rest()).rejects.toThrow(SourceChangedError);
    const shorter = await mustHead("growing");
    const again = source.read(shorter, signal)[Symbol.asyncIterator]();
    await again.next();
    await truncate(join(root, "growing"), 300_000);
    await expect(
      (async () => {
        while (!(await again.next()).done);
      })(),
    ).rejects.toThrow(SourceChangedError);
    await rm(join(root, "growing"));
  });

  test("another file of the same size and time is another version", async () => {
    const path = join(root, "same");
    const time = new Date(1_700_000_000_000);
    await writeFile(path, "one");
    await utimes(path, time, time);
    const first = await mustHead("same");
    await writeFile(`${path}.new`, "two");
    await utimes(`${path}.new`, time, time);
    await rename(`${path}.new`, path);
    expect((await mustHead("same")).version).not.toBe(first.version);
    await rm(path);
  });

  test("a link to one has its bytes, and leaves the version as it was", async () => {
    await writeFile(join(root, "linked"), "bytes");
    const object = await mustHead("linked");
    const path = join(folder, "copy");
    expect(await source.linkTo(object, path)).toBe(true);
    expect(await readFile(path, "utf8")).toBe("bytes");
    expect((await mustHead("linked")).version).toBe(object.version);
    expect(await source.linkTo(object, path)).toBe(false);
    expect(await source.linkTo(object, join(folder, "no/such/folder"))).toBe(false);
    await writeFile(join(root, "linked"), "other bytes");
    await expect(source.linkTo(object, join(folder, "copy-2"))).rejects.toThrow(SourceChangedError);
    await rm(join(root, "linked"));
  });
});

describe("the folders that an operator allows", () => {
  test.each<[string, readonly string[], string | null]>([
    ["file:///data/tables/", ["/data"], "/data/tables"],
    ["file:///data", ["/data"], "/data"],
    ["file://localhost/data/a%20b", ["/other", "/data"], "/data/a b"],
    ["file:///", ["/"], "/"],
    ["file:///database/", ["/data"], null],
    ["file:///data/../etc/", ["/data"], null],
    ["file:///data/%2e%2e/etc/", ["/data"], null],
    ["file:///data//etc/", ["/data"], null],
    ["file:///etc/", [], null],
    ["s3://data/", ["/data"], null],
  ])("%s within %j", (url, roots, expected) => {
    if (expected === null) expect(() => allowedFolder(url, roots)).toThrow(SourceUrlError);
    else expect(allowedFolder(url, roots)).toBe(expected);
  });

  test("are looked at where they really are", async () => {
    await symlink(root, join(folder, "alias"));
    const aliased = await FileSource.open(`file://${folder}/alias/`, [folder]);
    expect(aliased.keyOf(`file://${folder}/alias/in`)).toBe("in");
    expect((await aliased.head("in", signal))?.bytes).toBe(6);
    await mkdir(join(folder, "narrow"));
    await symlink(root, join(folder, "narrow/way-out"));
    const open = (path: string) =>
      FileSource.open(`file://${folder}/narrow/${path}`, [join(folder, "narrow")]);
    await expect(open("way-out/")).rejects.toThrow(SourceUrlError);
    await expect(open("none/")).rejects.toThrow(SourceError);
    await writeFile(join(folder, "narrow/file"), "");
    await expect(open("file")).rejects.toThrow(/There is no folder/);
    // A root that is itself reached by a link is that folder.
    const byLink = await FileSource.open(`file://${folder}/alias/inner/`, [join(folder, "alias")]);
    expect((await byLink.head("file", signal))?.bytes).toBe(6);
  });
});

test.skipIf(process.getuid?.() === 0)(
  "a file that may not be read is refused in words",
  async () => {
    await writeFile(join(root, "locked"), "x");
    await chmod(join(root, "locked"), 0);
    await expect(source.head("locked", signal)).rejects.toThrow(/may not be read/);
  },
);
