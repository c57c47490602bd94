import { describe, expect, it } from "vitest";
import { metricByName } from "../tasks/fitting-metrics.ts";
import { inNats, rowLosses } from "./row-losses.ts";

describe("losses of rows", () => {
  const mean = (losses: Float64Array) =>
    losses.reduce((sum, each) => sum + each, 0) / losses.length;

  it.each(["rmse", "mae", "mape"])("have the mean that %s is made of", (name) => {
    const metric = metricByName(name);
    const target = Float64Array.of(1, -2, 3, 4);
    const predictions = Float64Array.of(1.5, 2, 3, 1);
    const score = metric.score({ target, predictions, outputs: 1, weights: null });
    const found = mean(rowLosses(metric, predictions, { target, outputs: 1 }));
    expect(name === "rmse" ? Math.sqrt(found) : found).toBeCloseTo(score, 12);
  });

  it("are the log-loss of two classes and of several, for any metric of classes", () => {
    const logLoss = metricByName("log_loss");
    const two = { target: Float64Array.of(1, 0, 1), outputs: 1 };
    const three = { target: Float64Array.of(2, 0), outputs: 3 };
    const ofTwo = Float64Array.of(0.9, 0.3, 1);
    const ofThree = Float64Array.of(0.2, 0.3, 0.5, 0, 0.5, 0.5);
    for (const [rows, predictions] of [
      [two, ofTwo],
      [three, ofThree],
    ] as const) {
      const losses = rowLosses(metricByName("accuracy"), predictions, rows);
      expect(mean(losses)).toBeCloseTo(logLoss.score({ ...rows, predictions, weights: null }), 9);
    }
  });

  it("are told apart in the same nats, whatever the unit of the values", () => {
    const target = Float64Array.of(1, -2, 3, 4);
    const of = (name: string, unit: number): number => {
      const metric = metricByName(name);
      const scaled = { target: target.map((y) => unit * y), outputs: 1 };
      const [good, bad] = [0.5, 0.8].map((off) =>
        mean(
          rowLosses(
            metric,
            target.map((y) => unit * (y + off)),
            scaled,
          ),
        ),
      );
      return inNats(metric, bad - good, good);
    };
    // Of Gaussian errors of the better one's size, (0.8² - 0.5²) / (2 · 0.5²); of Laplace ones 0.3 / 0.5.
    for (const unit of [1, 1000]) {
      expect(of("rmse", unit)).toBeCloseTo(0.78, 9);
      expect(of("mae", unit)).toBeCloseTo(0.6, 9);
    }
    expect(inNats(metricByName("accuracy"), 0.3, 0.5)).toBe(0.3);
  });
});
