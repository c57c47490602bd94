import { describe, expect, it } from "vitest";
import { SourceError } from "../../sources/source-error.ts";
import { discoverFiles, governingLog } from "./discovery.ts";
import { MemoryObjects } from "./testing/memory-objects.ts";

const SIGNAL = new AbortController().signal;
const DELTA = ["t/_delta_log/00000000000000000000.json", "t/a.parquet", "t/day=1/b.parquet"];
const COMPACTED = [
  "t/_delta_log/_last_checkpoint",
  "t/_delta_log/1.checkpoint.parquet",
  "t/a.parquet",
];
const ICEBERG = [
  "t/data/day=1/a.parquet",
  "t/metadata/00001-6c1.metadata.json",
  "t/metadata/s.avro",
];
const HADOOP = [
  "t/data/a.parquet",
  "t/metadata/v3.gz.metadata.json",
  "t/metadata/version-hint.text",
];
const HUDI = ["t/.hoodie/hoodie.properties", "t/eu/a.parquet", "t/a.parquet"];

/** `format root`, or null where the files are read as they are. */
async function told(path: string, keys: readonly string[], suffix = ""): Promise<string | null> {
  const objects = new MemoryObjects();
  for (const key of keys) objects.put(key, "x");
  const discovery = await discoverFiles(objects, "t", [`s3://data/${path}`], suffix, SIGNAL);
  const log = governingLog(discovery, discovery.files);
  return log && `${log.format} ${log.root}`;
}

describe("a table with a log is recognised", () => {
  it.each([
    ["at its folder", "t/", DELTA, "Delta Lake t/"],
    ["without a slash", "t", DELTA, "Delta Lake t/"],
    ["by a checkpoint alone", "t/", COMPACTED, "Delta Lake t/"],
    ["by a pattern", "t/*.parquet", DELTA, "Delta Lake t/"],
    ["at a file of it", "t/a.parquet", DELTA, "Delta Lake t/"],
    ["at a partition of it", "t/day=1/", DELTA, "Delta Lake t/"],
    ["at a partition's file", "t/day=1/b.parquet", DELTA, "Delta Lake t/"],
    ["from above, by a pattern", "**/*.parquet", DELTA, "Delta Lake t/"],
    ["from above, where nothing else is found", "", DELTA, "Delta Lake t/"],
    ["at its folder", "t/", ICEBERG, "Iceberg t/"],
    ["at its data", "t/data/", ICEBERG, "Iceberg t/"],
    ["at its data's partition", "t/data/day=1/", ICEBERG, "Iceberg t/"],
    ["at its data's file", "t/data/day=1/a.parquet", ICEBERG, "Iceberg t/"],
    ["by a pattern", "t/**/*.parquet", ICEBERG, "Iceberg t/"],
    ["as Hadoop's catalog writes it", "t", HADOOP, "Iceberg t/"],
    ["at its folder", "t/", HUDI, "Hudi t/"],
    ["at its partition", "t/eu/", HUDI, "Hudi t/"],
  ])("%s: %s of %j", async (_, path, keys, log) => {
    expect(await told(path, keys)).toBe(log);
  });

  it.each([
    ["beside other files", "u/", [...DELTA, "u/a.parquet"]],
    ["where a pattern finds others", "**/*.csv", [...DELTA, "u/a.csv"]],
    ["in folders that only have such a name", "t/", ["t/a.csv", "t/metadata/notes.json"]],
    ["in a file of that name", "t/", ["t/a.csv", "t/_delta_log"]],
    ["in the log itself", "t/_delta_log/", DELTA],
    ["in the log itself", "t/metadata/", ICEBERG],
  ])("and not %s: %s of %j", async (_, path, keys) => {
    expect(await told(path, keys)).toBeNull();
  });

  it("as far up as the connector reaches, and no further", async () => {
    class Walled extends MemoryObjects {
      override async *list(prefix: string, signal: AbortSignal) {
        if (!prefix.startsWith("own/")) throw new SourceError("refused", "Access is denied.");
        yield* super.list(prefix, signal);
      }
    }
    const objects = new Walled();
    for (const key of ["own/t/a.parquet", "_delta_log/0.json"]) objects.put(key, "x");
    const discovery = await discoverFiles(objects, "t", ["s3://data/own/t/"], "", SIGNAL);
    expect(governingLog(discovery, discovery.files)).toBeNull();
  });
});
