import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { checkNesting } from "./json-nesting.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "nesting-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function check(content: string | Uint8Array, name = "rows.json"): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, content);
  await checkNesting(path);
}

const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

it("a thousand levels are taken, and one more is refused with its line", async () => {
  await check(`{"a": 1}\n${nested(1000)}\n`);
  await expect(check(`{"a": 1}\n${nested(1001)}\n`)).rejects.toThrow(
    "line 2 is nested more than 1000 levels deep",
  );
});

it("levels that ended are not counted", async () => {
  await check(`${`${nested(900)}\n`.repeat(3)}{"a": ${nested(999)}}`);
});

it("brackets in texts are no levels, whatever is escaped before them", async () => {
  const brackets = "[".repeat(2000);
  await check(`{"a": "${brackets}", "b\\"${brackets}": "\\\\"}`);
  await expect(check(`{"a": "\\\\", "b": ${nested(1000)}}`)).rejects.toThrow(/line 1 /);
});

it("a file that is packed is looked at unpacked", async () => {
  await expect(check(gzipSync(nested(1001)), "rows.json.gz")).rejects.toThrow(/line 1 /);
});
