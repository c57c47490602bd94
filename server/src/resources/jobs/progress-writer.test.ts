import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Services } from "../../api/services.ts";
import { ProgressWriter } from "./progress-writer.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database that is told what is saved, and fails where it is told to. */
function recording() {
  const saved: unknown[] = [];
  const warned: unknown[] = [];
  const state = { isDown: false };
  const systemQuery = async (query: (sql: unknown) => Promise<unknown>): Promise<unknown> => {
    if (state.isDown) throw new Error("the database is gone");
    const sql = Object.assign(async (_: unknown, ...values: unknown[]) => saved.push(values), {
      json: (value: unknown) => value,
    });
    return await query(sql);
  };
  const services = {
    db: { systemQuery },
    log: { warn: (given: unknown) => warned.push(given) },
  } as unknown as Pick<Services, "db" | "log">;
  return { saved, warned, state, writer: new ProgressWriter<{ done: number }>(services, "job-1") };
}

it("saves each new phase, and within one a few times a second at most", async () => {
  const { saved, writer } = recording();
  let asked = 0;
  const make = () => ({ done: ++asked });
  writer.at("searching", make);
  writer.at("searching", make);
  vi.advanceTimersByTime(249);
  writer.at("searching", make);
  expect(asked).toBe(1);
  vi.advanceTimersByTime(1);
  writer.at("searching", make);
  writer.at("fitting", make);
  writer.at("fitting", make);
  expect(asked).toBe(3);
  await writer.flush();
  expect(saved).toHaveLength(3);
  expect(JSON.stringify(saved)).toMatch(/"done\\*":1.*"done\\*":2.*"done\\*":3/);
  expect(JSON.stringify(saved)).toContain("job-1");
});

it("goes on where the clock of the machine is set back", async () => {
  const { saved, writer } = recording();
  writer.at("searching", () => ({ done: 1 }));
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(250);
  writer.at("searching", () => ({ done: 2 }));
  await writer.flush();
  expect(saved).toHaveLength(2);
});

it("says what was not saved, and saves what comes after", async () => {
  const { saved, warned, state, writer } = recording();
  state.isDown = true;
  writer.save({ done: 1 });
  await writer.flush();
  expect(warned).toMatchObject([{ job: "job-1", err: expect.any(Error) }]);
  state.isDown = false;
  writer.save({ done: 2 });
  await writer.flush();
  expect([saved.length, warned.length]).toEqual([1, 1]);
});
