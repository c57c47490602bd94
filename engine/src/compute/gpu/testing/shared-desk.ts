/** The device of a file of tests, opened by the first that asks for it and closed behind the last. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { GpuDesk } from "../desk.ts";

export function sharedDesk(): () => Promise<GpuDesk> {
  const folder = mkdtempSync(join(tmpdir(), "devices-"));
  let shared: Promise<GpuDesk> | undefined;
  afterAll(async () => {
    await (await shared)?.close();
    rmSync(folder, { recursive: true });
  });
  return () => {
    shared ??= GpuDesk.open({ folder });
    return shared;
  };
}
