/** Fits of other libraries on the machine's own device, where they are there: `cuda_peers.py` says what is spoken. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { featureColumns } from "../../../engine/src/data/feature-columns.ts";
import type { BenchData } from "../bench-data.ts";
import { writeColumns } from "../peer-process.ts";

const SCRIPT = fileURLToPath(new URL("cuda_peers.py", import.meta.url));

export interface PeerRequest {
  readonly device: "cuda" | "cpu";
  readonly rounds: number;
  readonly leaves: number;
  readonly epochs: number;
  readonly batch: number;
  /** Of a round by itself: leaves, and rounds of a short fit and of a long one. */
  readonly large: { readonly leaves: number; readonly rounds: readonly number[] };
}

export interface PeerFits {
  readonly fits: readonly {
    readonly library: string;
    readonly version: string;
    readonly seconds: number;
    /** Of a round of large trees; null: it grows none by leaves. */
    readonly roundSeconds: number | null;
  }[];
  /** What is not there, or has no such device, and why. */
  readonly missing: Readonly<Record<string, string>>;
}

/** @param data of two classes */
export async function peerFits(
  python: string,
  data: BenchData,
  request: PeerRequest,
): Promise<PeerFits> {
  const folder = mkdtempSync(join(tmpdir(), "bench-cuda-"));
  try {
    const path = join(folder, "data.f64");
    const columns = featureColumns(data.schema, data.table, data.train).columns();
    writeColumns(path, columns, data.target, data.train);
    const child = spawn(python, [SCRIPT], { stdio: ["pipe", "pipe", "ignore"] });
    const failed = once(child, "error").then(([error]) => String(error));
    const started = await Promise.race([once(child, "spawn").then(() => null), failed]);
    if (started !== null) return { fits: [], missing: { python: started } };
    child.stdin.end(JSON.stringify({ ...request, path, rows: data.train.length }));
    const answer = await text(child.stdout);
    if (answer === "") throw new Error(`${SCRIPT} ended without an answer.`);
    return readFits(JSON.parse(answer));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readFits({ fits, missing }: Record<string, unknown>): PeerFits {
  if (!Array.isArray(fits)) throw new Error("The other libraries' answer has no fits.");
  return {
    fits: fits.map(({ library, version, seconds, round_seconds }: Record<string, unknown>) => ({
      library: String(library),
      version: String(version),
      seconds: Number(seconds),
      roundSeconds: typeof round_seconds === "number" ? round_seconds : null,
    })),
    missing: Object.fromEntries(
      Object.entries(missing ?? {}).map(([library, why]) => [library, String(why)]),
    ),
  };
}
