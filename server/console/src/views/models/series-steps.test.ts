import { expect, it } from "vitest";
import { seriesName } from "../../../../../engine/src/tasks/forecasting/header.ts";
import { stepsBySeries } from "./series-steps.ts";

it("gathers steps under the names that reports have for their series", () => {
  const step = (state: string, time: string) => ({
    ...{ series: { state, industry: "Food" }, time, value: 2 },
    interval: [1, 3] as [number, number],
  });
  const found = stepsBySeries(
    [step("Tasmania", "2031-01"), step("Victoria", "2031-01"), step("Tasmania", "2031-02")],
    0.9,
  );
  expect([...found.keys()]).toEqual([
    seriesName(["Tasmania", "Food"]),
    seriesName(["Victoria", "Food"]),
  ]);
  expect(found.get("Tasmania / Food")).toEqual([
    { time: "2031-01", value: 2, ranges: [{ coverage: 0.9, low: 1, high: 3 }] },
    { time: "2031-02", value: 2, ranges: [{ coverage: 0.9, low: 1, high: 3 }] },
  ]);
});
