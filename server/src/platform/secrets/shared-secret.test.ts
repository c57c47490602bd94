import { afterAll, beforeAll, expect, test } from "vitest";
import { openTemporaryDatabase, type TemporaryDatabase } from "../../testing/temporary-database.ts";
import { connect } from "../db/sql.ts";
import { StartupError } from "../startup-error.ts";
import { Sealer } from "./seal.ts";
import { SecretKey } from "./secret-key.ts";
import { agreeOnSecret } from "./shared-secret.ts";

let temporary: TemporaryDatabase;
beforeAll(async () => {
  temporary = await openTemporaryDatabase();
});
afterAll(() => temporary.close());

const sealer = (letter: string) => new Sealer(new SecretKey(letter.repeat(32)));

test("the first secret is that of all servers of the database, until it is struck out", async () => {
  const { database, address } = temporary;
  await Promise.all([1, 2, 3].map(() => agreeOnSecret(database, sealer("a"))));
  await expect(agreeOnSecret(database, sealer("b"))).rejects.toThrow(StartupError);
  await agreeOnSecret(database, sealer("a"));
  const owner = connect(address, { max: 1 });
  await owner`delete from secret_key`;
  await owner.end();
  await agreeOnSecret(database, sealer("b"));
  await expect(agreeOnSecret(database, sealer("a"))).rejects.toThrow(/DISTILLERY_SECRET_KEY/);
});

test("a fleet changes its secret one server after the other, while each knows both", async () => {
  const { database } = temporary;
  const knowing = (letter: string, other: string) =>
    new Sealer(new SecretKey(letter.repeat(32)), [new SecretKey(other.repeat(32))]);
  await agreeOnSecret(database, sealer("b"));
  await agreeOnSecret(database, knowing("b", "c"));
  await expect(agreeOnSecret(database, sealer("c"))).rejects.toThrow(StartupError);
  await agreeOnSecret(database, knowing("c", "b"));
  // One that starts again before its turn has come.
  await agreeOnSecret(database, knowing("b", "c"));
  await Promise.all([
    agreeOnSecret(database, knowing("c", "b")),
    agreeOnSecret(database, knowing("c", "b")),
  ]);
  await agreeOnSecret(database, sealer("c"));
  await expect(agreeOnSecret(database, sealer("b"))).rejects.toThrow(StartupError);
});
