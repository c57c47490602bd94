import { describe, expect, it } from "vitest";
import { unitOfLabel } from "./label-unit.ts";

describe("the unit of a label", () => {
  it("stands in brackets at its end", () => {
    expect(unitOfLabel("Gross mass (kg)")).toEqual({ unit: "kg", isCurrency: false });
    expect(unitOfLabel("Gewicht [in kg]:")).toEqual({ unit: "kg", isCurrency: false });
    expect(unitOfLabel("Humidity (%)")).toEqual({ unit: "%", isCurrency: false });
    expect(unitOfLabel("Invoice value (EUR)")).toEqual({ unit: "EUR", isCurrency: true });
    expect(unitOfLabel("Price (£)")).toEqual({ unit: "GBP", isCurrency: true });
  });

  it("is none elsewhere, and no other word", () => {
    for (const label of ["Gross mass", "Name (print)", "(kg) gross", "Parts (see overleaf)"]) {
      expect(unitOfLabel(label), label).toBeNull();
    }
  });
});
