import { expect, it } from "vitest";
import type { RunEventBody } from "../log/events.ts";
import { Decisions } from "./decisions.ts";

it("logs the first decision of each trial, and has whoever comes later wait for it", async () => {
  const logged: RunEventBody[] = [];
  const disk = Promise.withResolvers<void>();
  const decisions = new Decisions({
    append: (event) => {
      logged.push(event);
      return disk.promise;
    },
  });
  const pruned = { type: "trial_pruned", reason: "", folds: 1, expected: {} } as const;
  decisions.decide({ ...pruned, trial: 3 });
  let isTold = false;
  const refused = decisions.decide({ type: "trial_refused", trial: 3, reason: "" }).then(() => {
    isTold = true;
  });
  decisions.decide({ type: "trial_refused", trial: 4, reason: "" });
  expect([3, 4, 5].map((trial) => decisions.has(trial))).toEqual([true, true, false]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(isTold).toBe(false);
  disk.resolve();
  await refused;
  await decisions.settled();
  expect(logged.map(({ type }) => type)).toEqual(["trial_pruned", "trial_refused"]);
});
