import { expect, it } from "vitest";
import { draw } from "./draw.ts";
import { windowsSpec } from "./windows.ts";

async function labelsOf(from: string, days: number): Promise<string[]> {
  const at = (day: number): string => new Date(Date.parse(from) + day * 86_400_000).toISOString();
  const windows = [0.5, 0.75].map((share) => ({
    ...{
      learned: { from, to: at(share * days) },
      tested: { from: at(share * days), to: at(days) },
    },
    ...{ series: 1, mae: 1, mase: 1, count: 10 },
  }));
  const drawn = (await draw(windowsSpec(windows, true))).text;
  return [...drawn.matchAll(/<text[^>]*>([^<]*)<\/text>/g)]
    .map(([, text]) => text)
    .filter((text) => /\d/.test(text) && !text.startsWith("window"));
}

it.each([
  ["2012-12-20T00:00:00Z", 12, /^(?:Dec|Jan) \d+$|^2013$|^Jan 2013$/],
  ["2012-12-20T00:00:00Z", 400, /^(?:[A-Z][a-z]{2} )?201[234]$/],
  ["2012-12-20T00:00:00Z", 1, /^Dec \d+$|^\d\d:00$/],
])("names the month of each day from %s on, over %s days", async (from, days, label) => {
  const labels = await labelsOf(from, days);
  expect(labels.length).toBeGreaterThan(1);
  for (const each of labels) expect(each).toMatch(label);
});
