import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLogger } from "../../platform/log.ts";
import { Sealer } from "../../platform/secrets/seal.ts";
import { SecretKey } from "../../platform/secrets/secret-key.ts";
import { SourceError } from "../../query/sources/source-error.ts";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import type { ObjectStoreConnector } from "./connector.ts";
import { openCredentials, resealCredentials, sealCredentials } from "./credentials.ts";
import { findConnectors, whyOutOfReach } from "./service.ts";
import { insertConnector } from "./store.ts";

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.close());

const log = createLogger({ level: "silent" });
const key = (letter: string) => new SecretKey(letter.repeat(32));
const CREDENTIALS = { access_key_id: "id", secret_access_key: "the-secret" };
const ADDRESS = { url: "s3://bucket/data/", endpoint: null, region: null, path_style: null };

async function insert(
  organizationId: string,
  name: string,
  sealer: Sealer | null,
  id: string = randomUUID(),
): Promise<string> {
  const sealed = sealer && sealCredentials(sealer, { organizationId, id }, CREDENTIALS);
  await temporary.database.forOrganization(organizationId, (sql) =>
    insertConnector(sql, organizationId, {
      id,
      name,
      kind: "objstore",
      credentialName: "",
      settings: ADDRESS,
      sealed,
    }),
  );
  return id;
}

async function find(organizationId: string, name: string): Promise<ObjectStoreConnector> {
  const found = await findConnectors(temporary.database, organizationId, [name]);
  const connector = found.get(name);
  if (connector?.kind !== "objstore") throw new Error(`${name} is not there`);
  return connector;
}

describe("stored credentials", () => {
  test("lie sealed, for one connector of one organization", async () => {
    const sealer = new Sealer(key("a"));
    const organization = randomUUID();
    await insert(organization, "one", sealer);
    await insert(organization, "two", sealer);
    const one = await find(organization, "one");
    const two = await find(organization, "two");
    expect(one.sealed).toMatch(/^v1\./);
    expect(one.sealed).not.toContain("the-secret");
    expect(openCredentials(sealer, "objstore", one)).toEqual(CREDENTIALS);
    const moved = { ...two, sealed: one.sealed };
    expect(() => openCredentials(sealer, "objstore", moved)).toThrow(SourceError);
    const elsewhere = { ...one, organizationId: randomUUID() };
    expect(() => openCredentials(sealer, "objstore", elsewhere)).toThrow(SourceError);
    const none = await insert(organization, "none", null).then(() => find(organization, "none"));
    expect(openCredentials(sealer, "objstore", none)).toBeNull();
  });

  test("are sealed anew with the current key, those of all organizations", async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const old = new Sealer(key("b"));
    for (const organization of [first, second]) {
      await insert(organization, "old", old);
      await insert(organization, "none", null);
    }
    await insert(first, "lost", new Sealer(key("z")));
    const lost = await find(first, "lost");
    const next = new Sealer(key("c"), [key("a"), key("b")]);
    await resealCredentials({ db: temporary.database, sealer: next }, log);
    const only = new Sealer(key("c"));
    for (const organization of [first, second]) {
      const connector = await find(organization, "old");
      expect(openCredentials(only, "objstore", connector)).toEqual(CREDENTIALS);
      // Not a change of the connector.
      expect(connector.revision).toBe(1);
      expect((await find(organization, "none")).sealed).toBeNull();
    }
    // What no key opens stays, and says so when it is used.
    expect(await find(first, "lost")).toEqual(lost);
    expect(() => openCredentials(only, "objstore", lost)).toThrow(/'lost'.*enter them again/);
    const sealed = (await find(first, "old")).sealed;
    await resealCredentials({ db: temporary.database, sealer: next }, log);
    expect((await find(first, "old")).sealed).toBe(sealed);
  });

  test("of many connectors too", async () => {
    const organization = randomUUID();
    const old = new Sealer(key("d"));
    const names = Array.from({ length: 1100 }, (_, index) => `many-${index}`);
    await temporary.database.forOrganization(organization, async (sql) => {
      for (const name of names) {
        const id = randomUUID();
        const sealed = sealCredentials(old, { organizationId: organization, id }, CREDENTIALS);
        await insertConnector(sql, organization, {
          id,
          name,
          kind: "objstore",
          credentialName: "",
          settings: ADDRESS,
          sealed,
        });
      }
    });
    const next = new Sealer(key("e"), [key("d")]);
    await resealCredentials({ db: temporary.database, sealer: next }, log);
    const all = await findConnectors(temporary.database, organization, names);
    expect(all.size).toBe(1100);
    for (const { sealed } of all.values()) expect(next.isCurrent(sealed ?? "")).toBe(true);
  });
});

describe("connectors by name", () => {
  test("are those of the organization, and each once", async () => {
    const organization = randomUUID();
    const id = await insert(organization, "here", null);
    await insert(randomUUID(), "there", null);
    const found = await findConnectors(temporary.database, organization, ["here", "there", "here"]);
    expect([...found].map(([name, connector]) => [name, connector.id])).toEqual([["here", id]]);
    expect((await findConnectors(temporary.database, organization, [])).size).toBe(0);
  });

  test("an insert of the same id or name changes nothing", async () => {
    const organization = randomUUID();
    const id = await insert(organization, "first", null);
    await insert(organization, "first", null);
    await insert(organization, "second", null, id);
    expect((await find(organization, "first")).id).toBe(id);
    expect((await findConnectors(temporary.database, organization, ["second"])).size).toBe(0);
  });

  test.each([
    ["s3://bucket/data/", null],
    ["s3://bucket/data", null],
    ["s3://bucket/data/a/b.csv", null],
    ["s3://bucket/data/a%23b%3F.csv", null],
    ["s3://bucket/data-old/", /'reach' gives access to 's3:.*' only/],
    ["s3://bucket/", /only/],
    ["s3://other/data/", /only/],
    ["file:///data/", /only/],
    ["s3://bucket/data/../x", /no . or .. among its folders/],
    ["s3://bucket/data/a#b.csv", /write \? as %3F and # as %23/],
    ["s3://bucket/data/50%.csv", /write it as %25/],
    ["nothing", /A URL of objects is/],
  ])("reach %s, or it is said why not", async (url, why) => {
    const organization = randomUUID();
    await insert(organization, "reach", null);
    const said = whyOutOfReach(await find(organization, "reach"), url);
    if (why === null) expect(said).toBeNull();
    else expect(said).toMatch(why);
  });
});
