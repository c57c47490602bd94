import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Mention } from "../candidates/mention.ts";
import { labelKey } from "../locators/label-key.ts";
import type { Normal, ValueKind } from "../values/value.ts";
import { align } from "./align.ts";
import { increasingPairs } from "./increasing-pairs.ts";

type Field = readonly [label: string, kind: ValueKind, value: Normal];

/** A form's labels with their values, in its order. */
function form(documentId: string, fields: readonly Field[]): Mention[] {
  return fields.map(([label, kind, normal], index) => ({
    origin: "label",
    documentId,
    label,
    key: labelKey(label),
    kind,
    locator: {
      kind: "label",
      labels: [labelKey(label)],
      where: ["right"],
      pick: "first",
      except: [],
    },
    finding: {
      normal,
      unit: null,
      text: String(normal),
      start: index * 10,
      end: index * 10 + 5,
      page: 1,
      confidence: 1,
    },
    neighbours: [null, null],
  }));
}

const keysOf = (...forms: readonly Mention[][]): string[][] =>
  align(forms.flat()).map(({ keys }) => [...keys].sort());

const ONE: readonly Field[] = [
  ["Invoice no.", "identifier", "A1"],
  ["Qualm", "date", "2024-01-03"],
  ["Zorbs", "number", 40],
  ["Due date", "date", "2024-02-03"],
];
const OTHER: readonly Field[] = [
  ["Rechnungs-Nr.", "identifier", "B2"],
  ["Wibble", "date", "2023-01-03"],
  ["Frobs", "number", 55],
  ["Fällig am", "date", "2023-02-03"],
];

describe("labels that no glossary knows", () => {
  test("are one where they take the same place between labels that are", () => {
    expect(keysOf(form("a", ONE), form("b", OTHER))).toEqual(
      expect.arrayContaining([
        ["qualm", "wibble"],
        ["frobs", "zorbs"],
      ]),
    );
  });

  test("are several where the values are of other kinds or sizes, or a document has both", () => {
    const swapped = [OTHER[0]!, OTHER[2]!, OTHER[1]!, OTHER[3]!];
    expect(keysOf(form("a", ONE), form("b", swapped))).toHaveLength(6);
    const large = OTHER.with(2, ["Frobs", "number", 900_000]);
    expect(keysOf(form("a", ONE), form("b", large))).toContainEqual(["frobs"]);
    const both = form("c", [...ONE, ["Wibble", "date", "2020-01-01"]]);
    expect(keysOf(form("a", ONE), form("b", OTHER), both)).toContainEqual(["wibble"]);
  });

  test("are several where the glossary knows both, and that they differ", () => {
    const one: readonly Field[] = [ONE[0]!, ["Tenant", "person", "Ann Lee"], ONE[3]!];
    const other: readonly Field[] = [OTHER[0]!, ["Vermieter", "person", "Ben Day"], OTHER[3]!];
    expect(keysOf(form("a", one), form("b", other))).toContainEqual(["tenant"]);
  });
});

test("what two orders share is the longest run that both have in order", () => {
  expect(increasingPairs([1, 2, 3, 4], [2, 1, 3, 4])).toHaveLength(3);
  const orders = fc.uniqueArray(fc.nat(20), { maxLength: 8 });
  fc.assert(
    fc.property(orders, orders, (one, other) => {
      const pairs = increasingPairs(one, other);
      expect(pairs.every(([a, b]) => one[a] === other[b])).toBe(true);
      for (const [index, [a, b]] of pairs.slice(1).entries()) {
        expect(a > pairs[index]![0] && b > pairs[index]![1]).toBe(true);
      }
    }),
  );
});
