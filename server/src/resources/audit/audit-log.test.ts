/** The audit log under load: whoever was told that an event is stored finds it. */

import { expect, it } from "vitest";
import type { AuditedChange } from "../../api/context/audited-change.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/log.ts";
import { AuditLog } from "./audit-log.ts";

const change: AuditedChange = {
  at: new Date(0),
  operation: "datasets_delete",
  resourceType: "datasets",
  resourceId: null,
  path: "/v1/datasets/x",
  status: 200,
  isReplay: false,
  requestId: "r",
  address: "192.0.2.7",
  by: { organizationId: "o", kind: "api_key", subject: "s", keyId: "k", isSession: false },
};

/** Takes statements one turn later, and counts the rows of those that are through. */
function countingDatabase(isAway: (statement: number) => boolean) {
  const stored = { rows: 0, statements: 0 };
  const systemQuery = async (use: (sql: unknown) => unknown): Promise<unknown> => {
    const number = stored.statements++;
    let rows = 0;
    use((given: { length: number; raw?: unknown }) => {
      if (given.raw === undefined) rows = given.length;
    });
    await new Promise(setImmediate);
    if (isAway(number)) throw new Error("away");
    stored.rows += rows;
    return [];
  };
  return { stored, db: { systemQuery } as Partial<Database> as Database };
}

it("has stored each event that it says it has, however many come at once", async () => {
  const lost: unknown[] = [];
  const log = { error: (told: unknown) => lost.push(told) } as Partial<Logger> as Logger;
  const { db, stored } = countingDatabase((statement) => statement === 2);
  const audit = new AuditLog(db, log, "operator");
  await Promise.all(
    Array.from({ length: 2_500 }, async (_, at) => {
      await audit.record(change);
      // Those that came before it are there, or are in the service's log.
      expect(stored.rows + lost.length).toBeGreaterThan(at);
    }),
  );
  expect(stored.rows + lost.length).toBe(2_500);
  expect(lost.length).toBe(500);
  void audit.record({ ...change, status: 500 });
  await audit.close();
  expect(stored.rows + lost.length).toBe(2_501);
});
