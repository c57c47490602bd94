import { chmod, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { Sealer, UnsealError } from "./seal.ts";
import { openSecretKey, SecretKey } from "./secret-key.ts";

const folder = await mkdtemp(join(tmpdir(), "distillery-secrets-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the secret key", () => {
  test("is made once, for its owner's eyes alone", async () => {
    const first = await openSecretKey(folder);
    const path = join(folder, "secret.key");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const second = await openSecretKey(folder);
    expect(second.derive("sealing")).toEqual(first.derive("sealing"));
    expect(first.derive("object-urls")).not.toEqual(first.derive("sealing"));
    await chmod(path, 0o644);
    await openSecretKey(folder);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("a given one is used and written nowhere", async () => {
    const given = "g".repeat(32);
    const key = await openSecretKey(folder, given);
    expect(key.derive("sealing")).toEqual(new SecretKey(given).derive("sealing"));
    expect(await readFile(join(folder, "secret.key"), "utf8")).not.toContain(given);
  });

  test("a damaged file is an error, never a weak key", async () => {
    const place = await mkdtemp(join(folder, "damaged-"));
    await writeFile(join(place, "secret.key"), "");
    await expect(openSecretKey(place)).rejects.toThrow(/damaged/);
  });
});

describe("sealing", () => {
  const sealer = new Sealer(new SecretKey("k".repeat(32)));
  const owner = ["organization", "connector"];

  test("opens for its owner, and differs each time", () => {
    const sealed = sealer.seal("pässword", owner);
    expect(sealed).not.toContain("pässword");
    expect(sealer.open(sealed, owner)).toBe("pässword");
    expect(sealer.seal("pässword", owner)).not.toBe(sealed);
  });

  test("does not open for another owner, with another key, or changed", () => {
    const sealed = sealer.seal("password", owner);
    expect(() => sealer.open(sealed, ["organization", "other"])).toThrow(UnsealError);
    expect(() => sealer.open(sealed, ["organizationconnector"])).toThrow(UnsealError);
    const other = new Sealer(new SecretKey("j".repeat(32)));
    expect(() => other.open(sealed, owner)).toThrow(/another DISTILLERY_SECRET_KEY/);
    const bytes = Buffer.from(sealed.split(".")[3]!, "base64url");
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes);
      changed[index]! ^= 1;
      const text = [...sealed.split(".").slice(0, 3), changed.toString("base64url")].join(".");
      expect(() => sealer.open(text, owner)).toThrow(UnsealError);
    }
    for (const text of ["", "v1", "v2.a.b.c", `${sealed}.x`, sealed.slice(0, 40)]) {
      expect(() => sealer.open(text, owner)).toThrow(UnsealError);
    }
  });

  test("opens what a previous key sealed, and seals with the current one", () => {
    const next = new Sealer(new SecretKey("n".repeat(32)), [new SecretKey("k".repeat(32))]);
    const old = sealer.seal("password", owner);
    expect(next.open(old, owner)).toBe("password");
    expect([next.isCurrent(old), sealer.isCurrent(old)]).toEqual([false, true]);
    expect([next.knows(sealer.keyId), sealer.knows(next.keyId)]).toEqual([true, false]);
    const anew = next.seal("password", owner);
    expect(next.isCurrent(anew)).toBe(true);
    expect(() => sealer.open(anew, owner)).toThrow(/another DISTILLERY_SECRET_KEY/);
    // A value does not choose a key that it was not sealed with.
    const [version, , ...rest] = old.split(".");
    expect(() => next.open([version, next.keyId, ...rest].join("."), owner)).toThrow(UnsealError);
  });
});
