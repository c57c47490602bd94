/**
 * The installation's secret: given by `DISTILLERY_SECRET_KEY`, or made once and kept in the home in
 * a file that only its owner may read. Nothing uses it directly: each purpose has a key of its own,
 * derived by HKDF-SHA-256 (RFC 5869).
 */
import { hkdfSync, randomBytes } from "node:crypto";
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StartupError } from "../config.ts";

export class SecretKey {
  readonly #material: string;

  constructor(material: string) {
    this.#material = material;
  }

  /** 32 bytes for one purpose. */
  derive(
    purpose: "object-urls" | "sealing" | "page-tokens" | "report-links" | "prediction-ids",
  ): Uint8Array {
    return new Uint8Array(hkdfSync("sha256", this.#material, "distillery", purpose, 32));
  }
}

/** @param home an existing folder */
export async function openSecretKey(home: string, given?: string): Promise<SecretKey> {
  if (given !== undefined) return new SecretKey(given);
  const path = join(home, "secret.key");
  try {
    await writeFile(path, `${randomBytes(32).toString("base64url")}\n`, {
      mode: 0o600,
      flag: "wx",
    });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  const material = (await readFile(path, "utf8")).trim();
  if (material.length < 32) {
    throw new StartupError(
      `${path} is damaged: bring back its copy, or delete it and enter every credential again`,
    );
  }
  return new SecretKey(material);
}
