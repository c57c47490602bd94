import { describe, expect, it } from "vitest";
import { labelKey } from "../locators/label-key.ts";
import {
  areInterchanged,
  columnMeaning,
  conceptLikeness,
  conceptsOf,
  contradict,
  meaningOf,
  meanOtherThings,
} from "./label-concepts.ts";

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
    ["Tension d'alimentation", "Supply voltage"],
    ["Numéro de l'assuré", "Insured no."],
    ["Units used (kWh)", "Verbrauch"],
    ["Zu zahlender Betrag", "Amount due"],
    ["Nr zamówienia", "Order no."],
    ["Data zamówienia", "Date de commande"],
    ["Descripción de las mercancías", "Description of goods"],
    ["Date d'effet", "Effective date"],
    ["Date d’effet", "Date d effet"],
    ["N.º de fatura", "Invoice no."],
    ["Goods received in good condition by", "Ware erhalten durch"],
    ["Annual premium (incl. VAT)", "Prime annuelle TTC"],
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
    expect(conceptsOf("weight kg")).toEqual(["weight"]);
    expect(conceptsOf("volume m3")).toEqual(["volume"]);
    expect(conceptsOf("")).toEqual([]);
  });
});

describe("the meaning of a label", () => {
  it.each([
    ["Anfangssaldo", "Ancien solde"],
    ["Personalnummer", "Matricola"],
    ["Liefertermin", "Need-by date"],
    ["Von", "From"],
    ["Kennzeichen", "Licence plate"],
    ["Posologie", "Dosage"],
    ["Boetebedrag", "Fine amount"],
    ["Social security number", "Codice fiscale"],
    ["Führerschein-Nr.", "Driver's license no."],
    ["Baujahr", "Año de construcción"],
    ["Umidità relativa", "Luftfeuchte"],
    ["Pouvoir adjudicateur", "Vergabestelle"],
    ["Attributaire", "Adjudicatário"],
    ["Forme juridique", "Rechtsform"],
    ["Geschäftsführer", "Amministratore unico"],
    ["Stammkapital", "Capitale sociale"],
    ["Puls", "Fréquence cardiaque"],
    ["Jahresüberschuss", "Net income"],
    ["Art der Verletzung", "Nature of injury"],
  ])("%s is that of %s", (a, b) => {
    const meaning = meaningOf(labelKey(a));
    expect(meaning).not.toBeNull();
    expect(meaningOf(labelKey(b))).toBe(meaning);
  });

  it("is none of words that nobody knows, and of what names nothing by itself", () => {
    for (const label of ["zyxwvut balance", "Total", "Number", ""]) {
      expect(meaningOf(labelKey(label))).toBeNull();
    }
  });

  it("is another where somebody did it, or a small word has others beside it", () => {
    expect(meaningOf("reported by")).not.toBe(meaningOf("reported"));
    expect(meaningOf("valid from")).not.toBe("from");
  });

  it("differs though a letter alone does", () => {
    expect(meanOtherThings("employer", "employee")).toBe(true);
    expect(meanOtherThings("employer", "employeur")).toBe(false);
    expect(meanOtherThings("employer", "emplover")).toBe(false);
    // Endings of the eight languages are left off words that are no terms, and never make one of another.
    expect(conceptsOf("employers")).toEqual(conceptsOf("employer"));
    expect(meanOtherThings("licensor", "licensee")).toBe(true);
    expect(meanOtherThings("lieferant", "lieferung")).toBe(true);
  });

  it("contradicts another where each says something that the other does not", () => {
    expect(contradict("tenant", "vermieter")).toBe(true);
    expect(contradict("invoice date", "date")).toBe(false);
    expect(contradict("tenant name", "venue")).toBe(true);
    expect(contradict("name", "patient")).toBe(false);
    expect(contradict("venue", "ort")).toBe(false);
    // A form's own day is no other one that it has.
    expect(contradict("date", "start date")).toBe(true);
    expect(contradict("geburtsdatum", "date")).toBe(true);
    expect(contradict("date", "date of issue")).toBe(false);
    // What names nothing by itself may be anything.
    expect(contradict("valeur", "wertpapier")).toBe(false);
    expect(contradict("zyxwvut", "tenant")).toBe(false);
  });

  it("may be interchanged by forms that have one of them", () => {
    expect(areInterchanged("from", "origen")).toBe(true);
    expect(areInterchanged("venue", "ort")).toBe(true);
    expect(areInterchanged("from", "to")).toBe(false);
    expect(areInterchanged("ship to", "consignee")).toBe(true);
    expect(areInterchanged(labelKey("N° de contrat"), labelKey("Policy number"))).toBe(true);
    expect(areInterchanged("description of goods", "towar")).toBe(true);
    expect(areInterchanged("total order", labelKey("Totaal incl. btw"))).toBe(true);
    expect(areInterchanged("total order", "total net")).toBe(false);
    expect(areInterchanged("contract no", "policy date")).toBe(false);
    expect(areInterchanged("policy no", "policy")).toBe(false);
    expect(areInterchanged("description", "")).toBe(false);
  });

  it("tells columns apart also by what is generic", () => {
    expect(columnMeaning("menge")).toBe(columnMeaning("qty"));
    expect(columnMeaning("menge")).not.toBe(columnMeaning("betrag"));
    expect(columnMeaning("zyxwvut")).toBe("zyxwvut");
  });
});
