/**
 * The installation's secret: given by `DISTILLERY_SECRET_KEY`, or made once and kept in the home in
 * a file that only its owner may read. Nothing uses it directly: each purpose has a key of its own,
 * derived by HKDF-SHA-256 (RFC 5869).
 */
import { hkdfSync, randomBytes } from "node:crypto";
import { chmod, stat } from "node:fs/promises";
import { join } from "node:path";
import { keptText } from "../files/kept-file.ts";
import { StartupError } from "../startup-error.ts";

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
  const make = () => `${randomBytes(32).toString("base64url")}\n`;
  const material = (await keptText(path, 0o600, make)).trim();
  if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
  if (material.length < 32) {
    throw new StartupError(
      `${path} is damaged: bring back its copy, or delete it and enter every credential again`,
    );
  }
  return new SecretKey(material);
}
