import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { QUANTITY_KIND } from "./quantity.ts";
import { NEUTRAL_CONVENTIONS } from "./value.ts";

const found = (text: string, decimalComma: boolean) =>
  QUANTITY_KIND.find(text, { ...NEUTRAL_CONVENTIONS, decimalComma }).map(({ normal, unit }) => [
    normal,
    unit,
  ]);

describe("a number with a unit", () => {
  test("has groups apart by spaces where nothing of a number is before it", () => {
    for (const decimalComma of [false, true]) {
      expect(found("15 128 kg", decimalComma)).toEqual([[15128, "kg"]]);
      expect(found("Poids brut : 1 234 567 kg", decimalComma)).toEqual([[1234567, "kg"]]);
      expect(found("Weight  2 500 kg", decimalComma)).toEqual([[2500, "kg"]]);
    }
    expect(found("environ 1 234,50 kg", true)).toEqual([[1234.5, "kg"]]);
  });

  test("may be a rate of a building, however it is written", () => {
    expect(found("68 kWh/(m²·a), 40 kgCO2/m2 año, 12,5 W/m²", true)).toEqual([
      [68, "kWh/m²"],
      [40, "kg/m²"],
      [12.5, "W/m²"],
    ]);
    expect(found("182 m2, 5.9 KG", false)).toEqual([
      [182, "m²"],
      [5.9, "kg"],
    ]);
  });

  test("is not what stands before it", () => {
    expect(found("Article 12 128 kg", false)).toEqual([[128, "kg"]]);
    expect(found("Pos. 3 15 kg", false)).toEqual([[15, "kg"]]);
  });

  test("is read as it was written in groups", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999 }), (size) => {
        const grouped = `${size}`.replace(/\B(?=(\d{3})+$)/g, " ");
        expect(found(`Masse: ${grouped} kg`, true)).toEqual([[size, "kg"]]);
      }),
    );
  });
});
