import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { wilson } from "../../metrics/wilson.ts";
import { CONFUSION_CLASSES, confusion } from "./confusion.ts";
import { rankCorrelation } from "./rank-correlation.ts";
import { reliability } from "./reliability.ts";
import { residuals } from "./residuals.ts";
import { thinned, thresholdCurves } from "./threshold-curves.ts";

const numbers = z.array(z.number());
const peer = z
  .object({
    label: numbers,
    score: numbers,
    weight: numbers,
    calibration: z.object({ observed: numbers, predicted: numbers }),
    roc: z.object({ fpr: numbers, tpr: numbers, auc: z.number() }),
    roc_auc: z.number(),
    precision_recall: z.object({ precision: numbers, recall: numbers }),
    average_precision: z.number(),
    truth: numbers,
    said: numbers,
    confusion: numbers,
    precision: numbers,
    recall: numbers,
    spearman: z.object({ x: numbers, y: numbers, rho: z.number() }),
    wilson: z.array(numbers),
  })
  .parse(
    JSON.parse(readFileSync(new URL("./fixtures/scikit-learn.json", import.meta.url), "utf8")),
  );

const scores = Float64Array.from(peer.score);
const positive = Uint8Array.from(peer.label);
const weights = Float64Array.from(peer.weight);

describe("reliability", () => {
  test("has scikit-learn's quantile bins", () => {
    const { bins } = reliability(scores, positive, null);
    expect(bins.map((bin) => bin.observed)).toEqual(
      peer.calibration.observed.map((value) => expect.closeTo(value, 12)),
    );
    expect(bins.map((bin) => bin.predicted)).toEqual(
      peer.calibration.predicted.map((value) => expect.closeTo(value, 12)),
    );
    expect(bins.reduce((sum, bin) => sum + bin.rows, 0)).toBe(peer.label.length);
  });

  test("has SciPy's Wilson intervals", () => {
    for (const [share, rows, low, high] of peer.wilson) {
      expect(wilson(share, rows)).toEqual({
        low: expect.closeTo(low, 10),
        high: expect.closeTo(high, 10),
      });
    }
  });

  test("counts a row of weight 2 as two, and of weight 0 as none", () => {
    const [first, second] = [reliability, reliability].map((figure, doubled) =>
      figure(
        Float64Array.of(0.1, 0.1, 0.9, 0.9),
        Uint8Array.of(0, 1, 1, 0),
        doubled === 0 ? null : Float64Array.of(2, 0, 2, 0),
      ),
    );
    expect(first.bins.map(({ observed }) => observed)).toEqual([0.5, 0.5]);
    expect(second.bins.map(({ observed }) => observed)).toEqual([0, 1]);
    expect(first.calibrationError).toBeCloseTo(0.4);
    expect(second.calibrationError).toBeCloseTo(0.1);
  });

  test("one value alone is one bin", () => {
    const { bins } = reliability(new Float64Array(20).fill(0.3), new Uint8Array(20), null);
    expect(bins).toHaveLength(1);
    expect(bins[0]).toMatchObject({ predicted: expect.closeTo(0.3), observed: 0, rows: 20 });
  });
});

describe("threshold curves", () => {
  test("lie on scikit-learn's, with its areas", () => {
    const curves = thresholdCurves({ positive, scores, weights });
    expect(curves?.rocAuc).toBeCloseTo(peer.roc_auc, 12);
    expect(curves?.averagePrecision).toBeCloseTo(peer.average_precision, 12);
    for (const [fpr, tpr] of curves?.roc ?? []) {
      const near = peer.roc.fpr.findIndex(
        (value, i) => Math.abs(value - fpr) < 1e-9 && Math.abs(peer.roc.tpr[i] - tpr) < 1e-9,
      );
      expect(near, `(${fpr}, ${tpr})`).toBeGreaterThanOrEqual(0);
    }
    for (const [recall, precision] of curves?.precisionRecall ?? []) {
      const near = peer.precision_recall.recall.findIndex(
        (value, i) =>
          Math.abs(value - recall) < 1e-9 &&
          Math.abs(peer.precision_recall.precision[i] - precision) < 1e-9,
      );
      expect(near, `(${recall}, ${precision})`).toBeGreaterThanOrEqual(0);
    }
  });

  test("need both classes", () => {
    expect(thresholdCurves({ positive: new Uint8Array(5), scores, weights: null })).toBeNull();
    expect(
      thresholdCurves({
        positive: Uint8Array.of(1, 0),
        scores: Float64Array.of(0.2, 0.4),
        weights: Float64Array.of(1, 0),
      }),
    ).toBeNull();
  });

  test("thinning keeps the ends and leaves no gap that can be seen", () => {
    const steps = fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1, maxLength: 2000 });
    fc.assert(
      fc.property(steps, (moves) => {
        const across = moves.reduce((sum, [x]) => sum + x, 1);
        const up = moves.reduce((sum, [, y]) => sum + y, 1);
        let [x, y] = [0, 0];
        const points = moves.map(([dx, dy]): [number, number] => {
          x += dx / across;
          y += dy / up;
          return [x, y];
        });
        const kept = thinned(points);
        expect(kept[0]).toEqual(points[0]);
        expect(kept.at(-1)).toEqual(points.at(-1));
        expect(kept.length).toBeLessThanOrEqual(303);
        for (const point of points) {
          expect(
            kept.some(
              ([a, b]) => Math.abs(a - point[0]) <= 1 / 150 && Math.abs(b - point[1]) <= 1 / 150,
            ),
          ).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe("confusion", () => {
  const names = ["a", "b", "c", "d", "e"];

  test("is scikit-learn's", () => {
    const found = confusion(names, peer.truth, peer.said);
    expect(found.labels).toEqual(names);
    expect(found.cells).toEqual(peer.confusion);
    for (const { name, precision, recall } of found.classes) {
      const k = names.indexOf(name);
      expect(precision).toBeCloseTo(peer.precision[k], 12);
      expect(recall).toBeCloseTo(peer.recall[k], 12);
    }
    expect(found.classes.map(({ rows }) => rows)).toEqual(
      names.map((_, k) => peer.truth.filter((truth) => truth === k).length).sort((a, b) => b - a),
    );
  });

  test("joins the rarer of many classes and loses no row", () => {
    const many = Array.from({ length: 60 }, (_, k) => `class ${k}`);
    const target = Array.from({ length: 3000 }, (_, i) => Math.floor(Math.sqrt(i)) % 60);
    const found = confusion(many, target, target);
    expect(found.labels).toHaveLength(CONFUSION_CLASSES);
    expect(found.labels.at(-1)).toBeNull();
    expect(found.cells.reduce((sum, cell) => sum + cell, 0)).toBe(3000);
    expect(found.classes).toHaveLength(60);
    expect(found.accuracy).toBe(1);
    const shown = new Set(found.labels);
    const least = Math.min(...found.classes.filter((c) => shown.has(c.name)).map((c) => c.rows));
    for (const { name, rows } of found.classes) {
      if (!shown.has(name)) expect(rows).toBeLessThanOrEqual(least);
    }
  });

  test("a class that is never said, or never there, has no precision or recall", () => {
    const { classes } = confusion(["x", "y", "z"], [0, 0, 1], [0, 0, 0]);
    expect(classes.find(({ name }) => name === "y")).toMatchObject({ precision: null, recall: 0 });
    expect(classes.find(({ name }) => name === "z")).toMatchObject({
      precision: null,
      recall: null,
    });
  });
});

test("rank correlation is SciPy's, ties and all", () => {
  const { x, y, rho } = peer.spearman;
  expect(rankCorrelation(x, y)).toBeCloseTo(rho, 12);
  expect(rankCorrelation([1, 1, 1], [1, 2, 3])).toBeNull();
});

describe("residuals", () => {
  test("count every row once and keep rows as they are", () => {
    const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 300 }), (pairs) => {
        const actual = Float64Array.from(pairs, ([a]) => a);
        const predicted = Float64Array.from(pairs, ([, p]) => p);
        const found = residuals(actual, predicted);
        const inside = found.histogram.counts.reduce((sum, count) => sum + count, 0);
        expect(inside + found.below + found.above).toBe(pairs.length);
        expect(found.sample).toEqual(pairs);
        const differences = pairs.map(([a, p]) => a - p).sort((a, b) => a - b);
        expect(found.mean).toBeCloseTo(
          differences.reduce((sum, each) => sum + each, 0) / pairs.length,
          4,
        );
        const { edges, counts } = found.histogram;
        for (const [bin, count] of counts.entries()) {
          const last = bin === counts.length - 1;
          const slow = differences.filter(
            (each) => each >= edges[bin] && (last ? each <= edges[bin + 1] : each < edges[bin + 1]),
          );
          expect(count).toBe(slow.length);
        }
      }),
    );
  });
});
