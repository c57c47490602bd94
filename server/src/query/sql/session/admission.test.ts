import { expect, it } from "vitest";
import { Admission } from "./admission.ts";

const LIMITS = { sessions: 3, sessionsOfOne: 2, waiting: 4, waitingOfOne: 2 };
const { signal } = new AbortController();

it("refuses an organization whose own queries fill its slots, and all where everybody's do", async () => {
  const admission = new Admission(LIMITS);
  const enter = (owner: string) => admission.enter(owner, signal);
  const leaving = [await enter("one"), await enter("one")];
  const waiting = [enter("one"), enter("one")];
  await expect(enter("one")).rejects.toMatchObject({
    failure: "too-many",
    message: expect.stringMatching(/^4 queries of yours run or wait/),
  });
  // Others are let in, and wait in turn.
  leaving.push(await enter("two"));
  waiting.push(enter("two"), enter("three"));
  await expect(enter("four")).rejects.toMatchObject({ failure: "busy" });
  leaving[0]?.();
  leaving.push(await waiting[0]!);
  waiting.push(enter("four"));
  await expect(enter("one")).rejects.toMatchObject({ failure: "busy" });
  admission.close();
  const ends = await Promise.allSettled(waiting.slice(1));
  expect(ends.map((end) => end.status === "rejected" && end.reason.failure)).toEqual(
    Array(4).fill("busy"),
  );
});
