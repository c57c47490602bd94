import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SourceError } from "../../sources/source-error.ts";
import { FileCache } from "./file-cache.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";

const SIGNAL = new AbortController().signal;

let folder: string;
let objects: MemoryObjects;
let placed = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-cache-"));
  objects = new MemoryObjects();
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const open = (maxBytes = 1 << 20, downloads = 8) =>
  FileCache.open({ folder: join(folder, "cache"), maxBytes, downloads });

async function place(cache: FileCache, key: string, signal = SIGNAL, source = objects) {
  const path = join(folder, `placed-${placed++}`);
  const object = await source.head(key);
  const fetched = await cache.place(source, object!, path, signal);
  return { path, fetched };
}

const files = async (name: string) => readdir(join(folder, "cache", name));

/** Stops reads until it is called. */
function gate(): () => void {
  const opened = Promise.withResolvers<void>();
  objects.beforeRead = () => opened.promise;
  return opened.resolve;
}

/** Until reads have begun. */
async function reads(count: number): Promise<void> {
  while (objects.reads.length < count) await new Promise(setImmediate);
}

describe("placing", () => {
  it("fetches a version once, and a new version again", async () => {
    const cache = await open();
    objects.put("a", "one");
    const first = await place(cache, "a");
    const second = await place(cache, "a");
    expect([first.fetched, second.fetched]).toEqual([3, 0]);
    expect((await stat(first.path)).ino).toBe((await stat(second.path)).ino);
    objects.put("a", "other");
    const third = await place(cache, "a");
    expect(third.fetched).toBe(5);
    expect(await readFile(first.path, "utf8")).toBe("one");
    expect(await readFile(third.path, "utf8")).toBe("other");
    expect(objects.reads).toHaveLength(2);
  });

  it("tells sources apart that have the same keys and versions", async () => {
    const cache = await open();
    const other = new MemoryObjects("other");
    objects.put("a", "one");
    other.put("a", "two");
    await place(cache, "a");
    const { path } = await place(cache, "a", SIGNAL, other);
    expect(await readFile(path, "utf8")).toBe("two");
  });

  it("shares one download among those who wait for it", async () => {
    const cache = await open();
    objects.put("a", "x".repeat(200_000));
    const go = gate();
    const all = Promise.all(Array.from({ length: 20 }, () => place(cache, "a")));
    await reads(1);
    go();
    const fetched = (await all).map((one) => one.fetched);
    expect(fetched.reduce((sum, bytes) => sum + bytes)).toBe(200_000);
    expect(objects.reads).toEqual(["a"]);
  });

  it("downloads no more at a time than it may", async () => {
    const cache = await open(1 << 20, 3);
    let running = 0;
    let most = 0;
    objects.beforeRead = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
    };
    for (let at = 0; at < 20; at++) objects.put(`k${at}`, "text");
    await Promise.all(Array.from({ length: 20 }, (_, at) => place(cache, `k${at}`)));
    expect(most).toBe(3);
  });

  it("takes a source's own link instead of bytes", async () => {
    const cache = await open();
    const path = join(folder, "linked");
    const source = Object.assign(new MemoryObjects("local"), {
      linkTo: async (_: unknown, to: string) => {
        await writeFile(to, "linked");
        return true;
      },
    });
    source.put("a", "bytes!");
    expect(await cache.place(source, (await source.head("a"))!, path, SIGNAL)).toBe(0);
    expect(source.reads).toEqual([]);
    expect(cache.bytes).toBe(0);
  });
});

describe("a bounded cache", () => {
  it("drops the least recently used, which sessions keep", async () => {
    const cache = await open(10);
    for (const key of ["a", "b", "c"]) objects.put(key, `${key}xxx`);
    const a = await place(cache, "a");
    const b = await place(cache, "b");
    await place(cache, "a");
    await place(cache, "c");
    expect(cache.bytes).toBe(8);
    expect(await files("files")).toHaveLength(2);
    expect(await readFile(b.path, "utf8")).toBe("bxxx");
    await place(cache, "a");
    expect(objects.reads).toEqual(["a", "b", "c"]);
    await place(cache, "b");
    expect(objects.reads).toEqual(["a", "b", "c", "b"]);
    expect(await readFile(a.path, "utf8")).toBe("axxx");
  });

  it("serves what is larger than itself and keeps none of it", async () => {
    const cache = await open(10);
    objects.put("a", "x".repeat(100));
    const { path } = await place(cache, "a");
    expect((await stat(path)).size).toBe(100);
    expect(cache.bytes).toBe(0);
    expect(await files("files")).toEqual([]);
  });

  it("holds through any order of many callers", async () => {
    const cache = await open(5000);
    for (let at = 0; at < 30; at++) objects.put(`k${at}`, String(at).padEnd(1000, "."));
    const work = async (start: number) => {
      for (let step = 0; step < 60; step++) {
        const key = `k${(start * 7 + step * 11) % 30}`;
        const { path } = await place(cache, key);
        expect(await readFile(path, "utf8")).toBe(key.slice(1).padEnd(1000, "."));
        await rm(path);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, start) => work(start)));
    expect(cache.bytes).toBe(5000);
    expect(await files("files")).toHaveLength(5);
    expect(await files("incoming")).toEqual([]);
  });

  it("begins empty, whatever an ended process left", async () => {
    objects.put("a", "one");
    await place(await open(), "a");
    const cache = await open();
    expect(await files("files")).toEqual([]);
    expect((await place(cache, "a")).fetched).toBe(3);
    await cache.close();
    expect(await readdir(join(folder, "cache"))).toEqual([]);
  });
});

describe("what fails", () => {
  it("leaves nothing, and is tried again by the next", async () => {
    const cache = await open();
    objects.put("a", "one");
    let failures = 1;
    objects.beforeRead = async () => {
      if (failures-- > 0) throw new SourceError("unreachable", "no answer");
    };
    const both = await Promise.allSettled([place(cache, "a"), place(cache, "a")]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(objects.reads).toHaveLength(1);
    expect([await files("files"), await files("incoming"), cache.bytes]).toEqual([[], [], 0]);
    expect((await place(cache, "a")).fetched).toBe(3);
  });

  it.each([
    ["fewer", "on"],
    ["more", "one and more"],
  ])("serves no object of %s bytes than were listed", async (_, bytes) => {
    const cache = await open();
    objects.put("a", "one");
    const source = Object.assign(new MemoryObjects("short"), {
      read: async function* () {
        yield Buffer.from(bytes);
      },
    });
    const object = (await objects.head("a"))!;
    await expect(cache.place(source, object, join(folder, "short"), SIGNAL)).rejects.toThrow(
      /listed with 3 bytes/,
    );
    expect([await files("files"), await files("incoming")]).toEqual([[], []]);
  });

  it("ends a download that nobody waits for any more, and only then", async () => {
    const cache = await open();
    objects.put("a", "one");
    const go = gate();
    const [first, second] = [new AbortController(), new AbortController()];
    const waiting = [place(cache, "a", first.signal), place(cache, "a", second.signal)];
    const ended = Promise.allSettled(waiting);
    await reads(1);
    first.abort(new Error("left"));
    await expect(waiting[0]).rejects.toThrow("left");
    // The other still waits; a third joins it after it has left as well, and gets its own.
    second.abort(new Error("left too"));
    await ended;
    const third = place(cache, "a");
    await reads(2);
    go();
    expect((await third).fetched).toBe(3);
    await cache.close();
  });

  it("lets the others have a download that one of them left", async () => {
    const cache = await open();
    objects.put("a", "one");
    const go = gate();
    const first = new AbortController();
    const left = place(cache, "a", first.signal);
    const stays = place(cache, "a");
    await reads(1);
    first.abort(new Error("left"));
    await expect(left).rejects.toThrow("left");
    go();
    expect(await readFile((await stays).path, "utf8")).toBe("one");
    expect(objects.reads).toHaveLength(1);
  });

  it("gives up waiting for its turn", async () => {
    const cache = await open(1 << 20, 1);
    objects.put("a", "one");
    objects.put("b", "two");
    const go = gate();
    const a = place(cache, "a");
    await reads(1);
    const abort = new AbortController();
    const b = place(cache, "b", abort.signal);
    abort.abort(new Error("left"));
    await expect(b).rejects.toThrow("left");
    go();
    await a;
    expect((await place(cache, "b")).fetched).toBe(3);
  });
});
