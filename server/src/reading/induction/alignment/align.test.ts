import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mention } from "../candidates/mention.ts";
import { labelKey } from "../locators/label-key.ts";
import type { Normal, ValueKind } from "../values/value.ts";
import { align } from "./align.ts";
import { completeLinkage } from "./complete-linkage.ts";
import { editLikeness } from "./likeness.ts";

function mention(
  documentId: string,
  label: string,
  kind: ValueKind,
  normal: Normal,
  neighbours: readonly [string | null, string | null] = [null, null],
): Mention {
  const key = labelKey(label);
  const finding = {
    normal,
    unit: null,
    text: String(normal),
    start: 0,
    end: 1,
    page: 1,
    confidence: 1,
  };
  const locator = {
    kind: "label" as const,
    labels: [key],
    where: ["right" as const],
    pick: "first" as const,
    except: [],
  };
  return { origin: "label", documentId, label, key, kind, locator, finding, neighbours };
}

const SAMPLE: readonly Mention[] = [
  mention("a", "Delivery date", "date", "2018-01-03"),
  mention("b", "Delivery date:", "date", "2018-02-03"),
  mention("c", "DELIVERY DATE", "date", "2018-03-03"),
  mention("d", "De1ivery date", "date", "2018-04-03"),
  mention("a", "Order date", "date", "2017-01-03"),
  mention("b", "Order date", "date", "2017-02-03"),
  mention("a", "Driver", "text", "A. Smith"),
  mention("b", "Driver", "text", "B. Jones"),
  mention("c", "Driver", "number", 3),
];

describe("alignment", () => {
  it("joins one label however it is written and read, and keeps others apart", () => {
    const fields = align(SAMPLE).map(({ keys, kind, documents }) => ({ keys, kind, documents }));
    expect(fields).toEqual([
      { keys: ["delivery date", "de1ivery date"], kind: "date", documents: 4 },
      { keys: ["driver"], kind: "text", documents: 2 },
      { keys: ["order date"], kind: "date", documents: 2 },
    ]);
  });

  it("gives the label as most write it, a locator of all its forms, and how far kinds agree", () => {
    const [delivery, driver] = align(SAMPLE);
    expect(delivery!.labels).toEqual(["DELIVERY DATE", "De1ivery date"]);
    expect(delivery!.locators).toEqual([
      expect.objectContaining({ kind: "label", labels: ["de1ivery date", "delivery date"] }),
    ]);
    expect(driver!.kindAgreement).toBeCloseTo(2 / 3);
  });

  it("keeps the labels of those that write the value as another kind, with its unit or without", () => {
    const [quantity] = align([
      ...["a", "b", "c"].map((id, n) => mention(id, "Menge", "quantity", n + 1)),
      ...["d", "e", "f", "g"].map((id, n) => mention(id, "Qty", "number", n + 7)),
    ]);
    expect(quantity!.keys.toSorted()).toEqual(["menge", "qty"]);
    expect(quantity!.locators).toEqual([expect.objectContaining({ labels: ["menge", "qty"] })]);
  });

  it("joins labels of one meaning with the same neighbours, unless one document has both apart", () => {
    const beside = ["invoice no", "total"] as const;
    const apart = [
      mention("a", "Unit price", "money", 3, beside),
      mention("b", "Unit cost", "money", 4, beside),
      mention("c", "Unit price", "money", 5, beside),
    ];
    expect(align(apart).map(({ keys }) => keys)).toEqual([["unit price", "unit cost"]]);
    const together = [...apart, mention("a", "Unit cost", "money", 9, beside)];
    expect(align(together)).toHaveLength(2);
  });

  it("joins labels of one meaning in other languages, where their values can be of one field", () => {
    const bills = [
      mention("a", "Due date", "date", "2024-01-03"),
      mention("b", "Scadenza", "date", "2024-02-03"),
      mention("c", "Fällig am", "date", "2024-03-03"),
      mention("a", "Invoice no.", "identifier", "A1"),
      mention("b", "Rechnungs-Nr.", "number", 17),
      mention("c", "Bill", "money", 17),
    ];
    expect(align(bills).map(({ keys }) => keys.toSorted())).toEqual([
      ["due date", "fallig am", "scadenza"],
      ["bill"],
      ["invoice no", "rechnungs no"],
    ]);
  });

  it("names a field without the dots that lead to its values", () => {
    const [field] = align([mention("a", "Net pay ...........", "money", 3)]);
    expect(field!.labels).toEqual(["Net pay"]);
  });

  it("is the same whatever the order of the mentions and the ids of the documents", () => {
    const there = JSON.stringify(align(SAMPLE).map(({ findings: _, ...field }) => field));
    const shuffled = fc.shuffledSubarray([...SAMPLE], { minLength: SAMPLE.length });
    fc.assert(
      fc.property(shuffled, fc.nat(), (mentions, salt) => {
        const renamed = mentions.map((each) => ({
          ...each,
          documentId: `${(each.documentId.charCodeAt(0) * 31 + salt) % 97}-${each.documentId}`,
        }));
        expect(JSON.stringify(align(renamed).map(({ findings: _, ...field }) => field))).toBe(
          there,
        );
      }),
    );
  });
});

describe("complete linkage", () => {
  const distances = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 9 });
  const near = (a: number, b: number): number => 1 - Math.abs(a - b) / 30;

  it("puts each item in one cluster whose members are all alike", () => {
    fc.assert(
      fc.property(distances, (items) => {
        const clusters = completeLinkage(items, near, 0.8);
        expect(clusters.flat().sort((a, b) => a - b)).toEqual([...items.keys()]);
        for (const cluster of clusters) {
          for (const a of cluster) {
            for (const b of cluster) expect(near(items[a]!, items[b]!)).toBeGreaterThanOrEqual(0.8);
          }
        }
      }),
    );
  });

  it("is what joining the two most alike clusters again and again gives", () => {
    fc.assert(
      fc.property(distances, (raw) => {
        // Distances that are all different: of equal ones either may be joined first.
        const items = raw.map((value, index) => value + 1.7 ** index / 1000);
        expect(completeLinkage(items, near, 0.8)).toEqual(slowLinkage(items, near, 0.8));
      }),
    );
  });
});

function slowLinkage(
  items: readonly number[],
  near: (a: number, b: number) => number,
  threshold: number,
): number[][] {
  let clusters = items.map((_, index) => [index]);
  const linkage = (a: readonly number[], b: readonly number[]): number =>
    Math.min(...a.flatMap((x) => b.map((y) => near(items[x]!, items[y]!))));
  for (;;) {
    let best: readonly [number, number, number] = [-1, -1, -Infinity];
    for (const [i, a] of clusters.entries()) {
      for (const [j, b] of clusters.entries()) {
        if (i < j && linkage(a, b) > best[2]) best = [i, j, linkage(a, b)];
      }
    }
    const [i, j, value] = best;
    if (value < threshold) return clusters;
    const joined = [...clusters[i]!, ...clusters[j]!].sort((a, b) => a - b);
    clusters = [...clusters.filter((_, index) => index !== i && index !== j), joined].sort(
      (a, b) => a[0]! - b[0]!,
    );
  }
}

describe("letters read wrongly", () => {
  it("are forgiven in long labels, numbers never", () => {
    expect(editLikeness("delivery date", "dellvery date")).toBeGreaterThan(0.9);
    expect(editLikeness("line 1 amount", "line 2 amount")).toBe(0);
    expect(editLikeness("date", "data")).toBe(0);
    expect(editLikeness("subtotal", "total")).toBe(0);
  });
});
