import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { syntheticData } from "./bench-data.ts";
import { PeerProcess } from "./peer-process.ts";
import { median, shortNumber, textTable } from "./text-table.ts";

const CLI = fileURLToPath(new URL("../../scripts/bench.ts", import.meta.url));

function bench(...args: readonly string[]) {
  return spawnSync(process.execPath, [CLI, ...args], { encoding: "utf8" });
}

describe("bench", () => {
  it("says what it can do, and refuses what it cannot", () => {
    const help = bench("--help");
    expect(help.status).toBe(0);
    for (const part of [
      "kernels",
      "sampler",
      "ensemble",
      "whole-run",
      "memory",
      "http",
      "sql",
      "accuracy",
    ]) {
      expect(help.stdout).toContain(part);
    }
    expect(bench("--list").stdout).toMatch(/^ +scaling +time and memory/m);
    const unknown = bench("nothing");
    expect(unknown.status).toBe(1);
    expect(unknown.stderr).toContain("whole-run");
    expect(bench("--seeds", "0").stderr).toContain("--seeds");
    expect(bench("--sedes", "1").stderr).toContain(
      "there is no option --sedes; did you mean --seeds?\n",
    );
  });

  it("says that accuracy needs a folder", () => {
    const history = join(tmpdir(), "none", "history.jsonl");
    const said = bench("accuracy", "--only", "onnx", "--history", history).stdout;
    expect(said).toContain("accuracy: left out, since --data");
    expect(said).toContain("onnx: left out, since --data");
  });
});

describe("peers", () => {
  it("are absent where Python is", async () => {
    expect(await PeerProcess.start("/nonexistent/python")).toBeNull();
  });
});

describe("synthetic data", () => {
  it("is the same each time, holds rows out, and has both classes", () => {
    const data = syntheticData(500, 28);
    expect(data.target).toEqual(syntheticData(500, 28).target);
    expect([data.train.length, data.test.length]).toEqual([500, 50]);
    const positives = data.target.reduce((sum, value) => sum + value, 0);
    expect(positives).toBeGreaterThan(150);
    expect(positives).toBeLessThan(400);
  });
});

describe("text tables", () => {
  it("align the first column left and numbers right", () => {
    expect(
      textTable(
        ["", "ms"],
        [
          ["a", "1.5"],
          ["longer", "10.25"],
        ],
      ),
    ).toBe(["           ms", "------  -----", "a         1.5", "longer  10.25"].join("\n"));
  });

  it("show numbers briefly, and failures as a dash", () => {
    expect(
      [0, 0.0123456, 1.23456, 123.456, 1234567, 1e-9, Number.NaN].map((x) => shortNumber(x)),
    ).toEqual(["0", "0.01235", "1.235", "123.5", "1234567", "1.000e-9", "–"]);
    expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
  });
});
