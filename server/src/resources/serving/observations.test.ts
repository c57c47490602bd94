/** What endpoints answered: counted by model, for as many models as an endpoint keeps, and in distributions. */

import { describe, expect, it } from "vitest";
import { Observations, type ServedRequest } from "./observations.ts";

const request = (modelId: string | null, ms = 1, status = 200): ServedRequest => ({
  organizationId: "o",
  endpointId: "e",
  modelId,
  route: "predict",
  rows: 2,
  ms,
  status,
});

describe("observations", () => {
  it("tell the same requests as a summary and as a distribution in seconds", () => {
    const observed = new Observations();
    const milliseconds = [0.01, 0.05, 0.06, 0.1, 3.3, 70];
    for (const ms of milliseconds) observed.served(request("m", ms));
    observed.served(request("m", 9, 500));
    const [counters] = observed.countersOf("e").models;
    expect(counters).toMatchObject({ requests: 7, failed: 1, rows: 12 });
    const { cumulative = [], count, sum } = counters?.distribution ?? {};
    expect(count).toBe(milliseconds.length);
    expect(sum).toBeCloseTo(0.07352, 12);
    for (const [bound, atMost] of cumulative) {
      expect(atMost).toBe(milliseconds.filter((ms) => ms <= bound * 1000).length);
    }
    const bounds = cumulative.map(([bound]) => bound);
    expect(bounds[0]).toBe(0.00005);
    expect(bounds.slice(1).every((bound, at) => bound === 2 * (bounds[at] ?? 0))).toBe(true);
  });

  it("keep the models that answered last, so that an endpoint's series are bounded", () => {
    const observed = new Observations();
    for (let at = 0; at < 200; at++) {
      observed.served(request(`model-${at}`));
      observed.served(request("steady"));
      const outcome = { kind: "failed" } as const;
      observed.shadowed({ organizationId: "o", endpointId: "e", reference: `s-${at}`, outcome });
    }
    const { models, shadows } = observed.countersOf("e");
    expect(models.length).toBe(64);
    expect(models.find(({ modelId }) => modelId === "steady")?.requests).toBe(200);
    expect(models.some(({ modelId }) => modelId === "model-199")).toBe(true);
    expect(models.some(({ modelId }) => modelId === "model-0")).toBe(false);
    expect(shadows.map(({ reference }) => reference)).toContain("s-199");
    expect(shadows.length).toBe(64);
  });
});
