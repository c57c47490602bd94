import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { discoverFiles } from "./discovery.ts";
import { parseTablePath } from "./table-path.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";

const SIGNAL = new AbortController().signal;
let objects: MemoryObjects;

beforeEach(() => {
  objects = new MemoryObjects();
});

function put(...keys: string[]): void {
  for (const key of keys) objects.put(key, "x");
}

async function found(paths: string[], suffix = ""): Promise<string[]> {
  const { files } = await discoverFiles(objects, "t", paths, suffix, SIGNAL);
  return files.map(({ object }) => object.key);
}

describe("paths", () => {
  it("are collections with a slash, else objects, else collections", async () => {
    put("a/b", "a/b/c", "a/bc", "a/d/e");
    expect(await found(["s3://data/a/b/"])).toEqual(["a/b/c"]);
    expect(await found(["s3://data/a/b"])).toEqual(["a/b"]);
    expect(await found(["s3://data/a/d"])).toEqual(["a/d/e"]);
    expect(await found(["s3://data/a"])).toEqual(["a/b", "a/bc"]);
    expect(await found(["s3://data/none"])).toEqual([]);
  });

  it("may overlap", async () => {
    put("a/1", "a/2");
    expect(await found(["s3://data/a/2", "s3://data/a/", "s3://data/a/?"])).toEqual(["a/1", "a/2"]);
  });

  it("may be the whole source", async () => {
    put("1", "2", "a/3");
    expect(await found(["s3://data/"])).toEqual(["1", "2"]);
    expect(await found(["s3://data/**"])).toEqual(["1", "2", "a/3"]);
  });
});

describe("collections", () => {
  it("leave out hidden names, markers and empty objects", async () => {
    put("t/_SUCCESS", "t/.a.crc", "t/_temporary/a", "t/a", "t/_p=1/b", "t/.x=1/c", "t/p=1/_d");
    objects.put("t/empty", "");
    objects.put("t/p=2/", "");
    expect(await found(["s3://data/t/"])).toEqual(["t/_p=1/b", "t/a"]);
  });

  it("take a hidden object that a path names", async () => {
    put("t/_hidden");
    expect(await found(["s3://data/t/_hidden"])).toEqual(["t/_hidden"]);
  });

  it("enter folders of partitions only, and tell of others", async () => {
    put("t/a", "t/p=1/b", "t/p=1/q=2/c", "t/old/d", "t/p=1/old/e");
    const { files, unentered } = await discoverFiles(objects, "t", ["s3://data/t/"], "", SIGNAL);
    expect(files.map(({ object, folders }) => [object.key, ...folders])).toEqual([
      ["t/a"],
      ["t/p=1/b", "p=1"],
      ["t/p=1/q=2/c", "p=1", "q=2"],
    ]);
    expect(unentered).toBe("t/old/d");
  });

  it("are filtered by suffix", async () => {
    put("t/a.csv", "t/a.csv.gz", "t/acsv");
    expect(await found(["s3://data/t/"], ".csv")).toEqual(["t/a.csv"]);
    expect(await found(["s3://data/t/"], "csv")).toEqual(["t/a.csv", "t/acsv"]);
    expect(await found(["s3://data/t/a.csv.gz"], ".csv")).toEqual([]);
  });

  it("are bounded", async () => {
    put(...Array.from({ length: 11 }, (_, at) => `t/${at}`));
    const listed = (most: number) =>
      discoverFiles(objects, "shop.t", ["s3://data/t/"], "", SIGNAL, most);
    expect((await listed(11)).files).toHaveLength(11);
    await expect(listed(10)).rejects.toThrow("shop.t has more than 10 objects below its paths");
  });
});

describe("patterns", () => {
  it.each([
    ["s3://data/t/*.csv", ["t/a.csv", "t/b.csv"]],
    ["s3://data/t/?.csv", ["t/a.csv", "t/b.csv"]],
    ["s3://data/t/[a-a].csv", ["t/a.csv"]],
    ["s3://data/t/[!a].csv", ["t/b.csv"]],
    ["s3://data/t/*/*.csv", ["t/x/c.csv"]],
    ["s3://data/t/**/*.csv", ["t/a.csv", "t/b.csv", "t/x/c.csv", "t/x/y/d.csv"]],
    ["s3://data/t/x/**", ["t/x/c.csv", "t/x/y/d.csv"]],
    ["s3://data/t/*/", []],
    ["s3://data/t/odd%5B1%5D/*", ["t/odd[1]/e.csv"]],
    ["s3://data/*/odd%5B1%5D/%65.*", ["t/odd[1]/e.csv"]],
    ["s3://data/t/[a-c", null],
    ["s3://data/t/[]", null],
    ["s3://data/t/[z-a]", null],
    ["s3://data*/t", null],
  ])("%s", async (path, keys) => {
    put("t/a.csv", "t/b.csv", "t/x/c.csv", "t/x/y/d.csv", "t/odd[1]/e.csv", "t/_h.csv");
    if (keys === null) await expect(found([path])).rejects.toThrow("s3://data");
    else
      expect(
        (await found([path])).filter((key) => !key.includes("odd[1]/") || path.includes("odd")),
      ).toEqual(keys);
  });

  it("match a text that is encoded, and itself alone", () => {
    const text = fc.stringMatching(/^[ -.0-~é\u{1f600}]{1,8}$/u);
    fc.assert(
      fc.property(text, text, (a, b) => {
        const escaped = (of: string) =>
          encodeURIComponent(of).replace(/[*!]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
        const { pattern } = parseTablePath(`s3://data/t/${escaped(a)}*`);
        expect(pattern!.test(a)).toBe(true);
        expect(pattern!.test(a + b)).toBe(true);
        expect(pattern!.test(b)).toBe(b.startsWith(a));
        expect(pattern!.test(`${a}/`)).toBe(false);
      }),
    );
  });
});
