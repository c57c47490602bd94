/** Tests of devices, on SwiftShader where there is no GPU. */

import { createRequire } from "node:module";
import process from "node:process";
import { afterAll } from "vitest";
import { useSwiftShader, VARIABLES } from "./swiftshader-adapter.ts";

/**
 * Why tests of devices cannot run here; null where they can. In CI on the platform that has SwiftShader they
 * have to. The environment is as it was once the file's tests have ended: files share their process.
 */
export function whyNoDevice(): string | null {
  const before = VARIABLES.map((name) => process.env[name]);
  let why = useSwiftShader();
  afterAll(() => {
    for (const [at, name] of VARIABLES.entries()) {
      const value = before[at];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  try {
    createRequire(import.meta.url).resolve("webgpu");
  } catch {
    why ??= "the optional package webgpu is not installed";
  }
  const isDue = process.env["CI"] && process.platform === "linux" && process.arch === "x64";
  if (why !== null && isDue) throw new Error(`Tests of GPUs cannot run in CI: ${why}.`);
  return why;
}
