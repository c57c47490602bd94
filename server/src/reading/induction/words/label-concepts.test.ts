import { describe, expect, it } from "vitest";
import { labelKey } from "../locators/label-key.ts";
import { conceptLikeness, conceptsOf } from "./label-concepts.ts";

const likeness = (a: string, b: string): number => conceptLikeness(labelKey(a), labelKey(b));

describe("what labels are about", () => {
  it.each([
    ["Rechnungs-Nr.", "Bill number"],
    ["Auszahlungsdatum", "Pay date"],
    ["N° de réservation", "Booking reference"],
    ["Arrivée", "Check-in"],
    ["Geluidsniveau", "Noise level"],
    ["Monatliche Rate", "Monthly payment"],
    ["Mileage (km)", "Odometer reading"],
    ["Arbeitsstunden", "Hours worked"],
    ["Summe", "Total"],
    ["Gesamtbrutto", "Gross pay"],
    ["Nettoverdienst", "Net salary"],
  ])("%s and %s are one", (a, b) => {
    expect(likeness(a, b)).toBe(1);
    expect(likeness(b, a)).toBe(1);
  });

  it.each([
    ["Invoice date", "Invoice no."],
    ["Order date", "Delivery date"],
    ["Net total", "Grand total"],
    ["Landlord", "Tenant"],
    ["Buyer", "Seller"],
    ["Arrival", "Departure"],
    ["Betrag", "Datum"],
  ])("%s and %s are two", (a, b) => {
    expect(likeness(a, b)).toBeLessThan(0.8);
  });

  it("are parts of compounds, and words that nobody knows as they stand", () => {
    expect(conceptsOf("mietvertragsbeginn")).toEqual(["rent", "contract", "start"]);
    expect(conceptsOf("auszahlungsdatum")).toEqual(["payment_date"]);
    expect(conceptsOf(labelKey("Kundennummer"))).toEqual(["customer", "no"]);
    expect(conceptsOf("zyxwvut rating")).toEqual(["zyxwvut", "rating"]);
    expect(conceptsOf("")).toEqual([]);
  });
});
