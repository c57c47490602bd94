import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "loop-watch-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The processor times that the watch writes down of a process that does this. */
function heldBy(name: string, source: string): number[] {
  const file = join(folder, name);
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", new URL("loop-watch.ts", import.meta.url).href, "--eval", source],
    { encoding: "utf8", env: { ...process.env, LOOP_WATCH_FILE: file } },
  );
  expect(status, stderr).toBe(0);
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const held: unknown = JSON.parse(line);
    expect(held).toEqual({
      at: expect.any(Number),
      wallMs: expect.any(Number),
      cpuMs: expect.any(Number),
    });
    return Number((held as { cpuMs: number }).cpuMs);
  });
}

describe("the watch on the loop", () => {
  it("writes down who held it by working, with the processor time", () => {
    const busy = `setTimeout(() => {
      const start = process.threadCpuUsage();
      for (;;) { const { user, system } = process.threadCpuUsage(start); if (user + system >= 150_000) break; }
      setTimeout(() => {}, 50);
    }, 50)`;
    // Once, and not again of what was told.
    expect(heldBy("busy", busy).filter((cpuMs) => cpuMs >= 150)).toHaveLength(1);
  });

  it("does not blame one that waits, nor keep its process", () => {
    const idle = `setTimeout(() => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
      setTimeout(() => {}, 50);
    }, 50)`;
    const blamed = heldBy("idle", idle).filter((cpuMs) => cpuMs >= 150);
    expect(blamed).toEqual([]);
  });
});
