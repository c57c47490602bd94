import type { RunEvent } from "@distillery/engine";
import { expect, it } from "vitest";
import { shownEvent } from "./shown-event.ts";

it("shows a selection without what grows with the rows", () => {
  const x = Array.from({ length: 2000 }, (_, i) => i / 2000);
  const selected: RunEvent = {
    type: "selected",
    at: "2030-01-01T00:00:00.000Z",
    selections: [
      {
        kind: "ensemble",
        metricWeights: [1],
        alsoFor: [],
        members: [
          {
            trial: 3,
            weight: 0.75,
            calibration: { kind: "isotonic", curves: [{ x, y: x }] },
          },
          { trial: 1, weight: 0.25, calibration: null },
        ],
        layer: null,
        threshold: null,
        scores: { log_loss: 0.3 },
        path: x.map((loss) => ({ trial: 3, loss })),
        notes: ["averaged"],
      },
    ],
  };
  expect(JSON.stringify(selected).length).toBeGreaterThan(50_000);
  expect(shownEvent(selected)).toEqual({
    type: "selected",
    at: "2030-01-01T00:00:00.000Z",
    selections: [
      {
        kind: "ensemble",
        metricWeights: [1],
        alsoFor: [],
        members: [
          { trial: 3, weight: 0.75, calibration: "isotonic" },
          { trial: 1, weight: 0.25, calibration: null },
        ],
        layer: null,
        threshold: null,
        scores: { log_loss: 0.3 },
        steps: 2000,
        notes: ["averaged"],
      },
    ],
  });
  const other: RunEvent = {
    type: "trial_finished",
    at: selected.at,
    trial: 1,
    scores: { log_loss: 0.3 },
  };
  expect(shownEvent(other)).toBe(other);
});
