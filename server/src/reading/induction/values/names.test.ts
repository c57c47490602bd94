import { describe, expect, it } from "vitest";
import { read } from "./kinds.ts";
import { recognise } from "./recognise.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "./value.ts";

function found(kind: ValueKind, text: string): unknown[] {
  return recognise(text, NEUTRAL_CONVENTIONS, [kind]).map(({ normal }) => normal);
}
function written(kind: ValueKind, text: string): string[] {
  const values = recognise(text, NEUTRAL_CONVENTIONS, [kind]);
  return values.map(({ start, end }) => text.slice(start, end));
}

describe("organizations", () => {
  it.each([
    [
      "by and between Kite Pharma, Inc. and Gilead Sciences, Inc., a Delaware corporation",
      ["Kite Pharma, Inc.", "Gilead Sciences, Inc."],
    ],
    [
      "James C. Lee and Asset Acceptance Capital Corp. (“AACC”)",
      ["Asset Acceptance Capital Corp."],
    ],
    ["agreement with Leonard Green & Partners, L.P. today", ["Leonard Green & Partners, L.P."]],
    [
      "among ALTIMO HOLDINGS AND INVESTMENTS LIMITED, a company",
      ["ALTIMO HOLDINGS AND INVESTMENTS LIMITED"],
    ],
    [
      "and OPEN JOINT STOCK COMPANY “VIMPEL-COMMUNICATIONS”, a company",
      ["OPEN JOINT STOCK COMPANY “VIMPEL-COMMUNICATIONS”"],
    ],
    ["e-Luscious Nederland B.V., Badweg 48", ["e-Luscious Nederland B.V."]],
    ["geliefert von Müller GmbH & Co. KG, Uferweg 40", ["Müller GmbH & Co. KG"]],
    [
      "sprzedawca: Polski Koncern Naftowy ORLEN spółka akcyjna",
      ["Polski Koncern Naftowy ORLEN spółka akcyjna"],
    ],
    ["Clariden sp. z o.o. ul. Prosta 5", ["Clariden sp. z o.o."]],
    ["notified by Luxco S.à r.l. and others", ["Luxco S.à r.l."]],
    ["THREE STOOGES FOOD SDN. BHD. (123456-X)", ["THREE STOOGES FOOD SDN. BHD."]],
    ["POPULAR BOOK\nCO. (M) SDN BHD\n(CO. NO. 113825-W)", ["POPULAR BOOK CO. (M) SDN BHD"]],
    ["ON Semiconductor Corporation and others", ["ON Semiconductor Corporation"]],
    ["the Quarterly Report of Apple Inc. was filed", ["Apple Inc."]],
    ["the Company shall not be limited to the amount", []],
    ["made in the U.S.A. and sold", []],
    ["Gross 5.9 KG net", []],
    ["un pedido de Conservas del Cabo S.A. llegó", ["Conservas del Cabo S.A."]],
    ["la ditta Officine della Torre S.p.A. di Bari", ["Officine della Torre S.p.A."]],
    ["INVOICE\nTOTAL AMOUNT\nTHANK YOU", []],
  ])("of %j are %j", (text, names) => {
    expect(found("organization", text)).toEqual(names);
  });

  it.each([
    ["run by Valley Air Services School of Reno", "Valley Air Services School"],
    ["kept at the Prairie Trust Aviation Museum today", "Prairie Trust Aviation Museum"],
    ["by Northern Lights Company Flying Club and others", "Northern Lights Company Flying Club"],
  ])("of %j end where a body's name ends, not at a word that ends others", (text, name) => {
    expect(found("organization", text)).toEqual([name]);
    expect(read("organization", name, NEUTRAL_CONVENTIONS)?.normal).toBe(name);
  });

  it("are read from a line that a locator points at", () => {
    const company = (text: string) => read("organization", text, NEUTRAL_CONVENTIONS)?.normal;
    expect(company("BOOK TA .K(TAMAN DAYA) SDN BND")).toBe("BOOK TA. K (TAMAN DAYA) SDN BND");
    expect(company("Supplier: Amazon Web Services")).toBe("Amazon Web Services");
    expect(company("NIKE, Inc. (“NIKE”)")).toBe("NIKE, Inc.");
    expect(company("*** THREE STOOGES ***")).toBe("THREE STOOGES");
    expect(company("12.50")).toBeUndefined();
    expect(
      company("which shall not be unreasonably withheld by either party hereto"),
    ).toBeUndefined();
  });
});

describe("addresses", () => {
  it("begin with the dwelling, on a line before the street", () => {
    const text = "Ann Lee\nFlat 2\n157 Harbour View\nNorwich BS17 9AQ";
    expect(found("address", text)).toEqual(["Flat 2, 157 Harbour View, Norwich BS17 9AQ"]);
    expect(found("address", "Flat 7\nTotal 12\nPaid")).toEqual([]);
  });
});

describe("persons", () => {
  it.each([
    [
      "Voting for it were Ben S. Bernanke, Chairman; Donald L. Kohn; and Kevin M. Warsh.",
      ["Ben S. Bernanke", "Donald L. Kohn", "Kevin M. Warsh"],
    ],
    ["entered into by Eric Dean Sprunk (“EMPLOYEE”)", ["Eric Dean Sprunk"]],
    ["Dr. van der Berg saw the patient", ["van der Berg"]],
    ["By: /s/ Zygmunt Wrzesniewski", ["Zygmunt Wrzesniewski"]],
    ["Daniel K.\nTarullo", ["Daniel K. Tarullo"]],
    ["Steven J. Blad CEO", ["Steven J. Blad"]],
    ["approved by Mark W. Olson and Frank Miller", ["Mark W. Olson", "Frank Miller"]],
    ["ging an Jürgen Brandstetter und Zofia Zielińska", ["Jürgen Brandstetter", "Zofia Zielińska"]],
    ["befragt wurden Inês Nogueira sowie Bjørn Østby", ["Inês Nogueira", "Bjørn Østby"]],
    ["ein Mercedes Sprinter aus Santiago Norte", []],
    ["Grant of License and May Terminate", []],
    ["Howard Hughes Parkway", []],
    ["James River Holdings Inc.", []],
    ["The Agreement and the Exhibit", []],
  ])("of %j are %j", (text, names) => {
    expect(found("person", text)).toEqual(names);
  });

  it("are read where pointed at, whatever their names", () => {
    const person = (text: string) => read("person", text, NEUTRAL_CONVENTIONS)?.normal;
    expect(person("CASHIER:  MANIS")).toBe("MANIS");
    expect(person("Name: Tan Woon Yann")).toBe("Tan Woon Yann");
    expect(person("12/03/2018")).toBeUndefined();
  });
});

describe("places", () => {
  it.each([
    [
      "governed by the laws of the State of New York, without regard",
      ["New York"],
      ["the State of New York"],
    ],
    [
      "the Commonwealth of\nMassachusetts",
      ["Massachusetts"],
      ["the Commonwealth of\nMassachusetts"],
    ],
    ["Beaverton, OR 97005", ["Oregon"], ["OR"]],
    ["laws of England and Wales", ["England and Wales"], ["England and Wales"]],
    ["Washington, D.C. 20037", ["District of Columbia"], ["Washington, D.C."]],
    ["Lieferung nach Deutschland", ["Germany"], ["Deutschland"]],
    ["THEREFORE, OR ELSE", [], []],
  ])("of %j are %j", (text, names, verbatim) => {
    expect(found("place", text)).toEqual(names);
    expect(written("place", text)).toEqual(verbatim);
  });

  it("are read where pointed at", () => {
    const place = (text: string) => read("place", text, NEUTRAL_CONVENTIONS)?.normal;
    expect(place("NY")).toBe("New York");
    expect(place("the City of Rotterdam")).toBe("Rotterdam");
    expect(place("Jurisdiction: Delaware")).toBe("Delaware");
    expect(place("42")).toBeUndefined();
  });
});

describe("addresses", () => {
  it.each([
    [
      "TAX INVOICE\nLOT 50, JALAN BATAI,\nDAMANSARA HEIGHTS\n50490 KUALA LUMPUR\nTEL: 03-1234567",
      ["LOT 50, JALAN BATAI, DAMANSARA HEIGHTS, 50490 KUALA LUMPUR"],
    ],
    [
      "2120 L Street, N.W.\nSuite 850\nWashington, D.C. 20037\nDate: 1",
      ["2120 L Street, N.W., Suite 850, Washington, D.C. 20037"],
    ],
    [
      "Coolblue B.V.\nWeena 664\n3012 CN Rotterdam\nNederland",
      ["Weena 664, 3012 CN Rotterdam, Nederland"],
    ],
    ["QualityHosting AG\nUferweg 40-42\n63571 Gelnhausen", ["Uferweg 40-42, 63571 Gelnhausen"]],
    ["8 rue de la Ville l'Evêque\n75008 Paris", ["8 rue de la Ville l'Evêque, 75008 Paris"]],
    ["ul. Chemików 7\n09-411 Płock", ["ul. Chemików 7, 09-411 Płock"]],
    ["10 Downing Street\nLondon SW1A 2AA", ["10 Downing Street, London SW1A 2AA"]],
    ["1 PC CLAY 9.00\n2 SOAP 3.50", []],
    [
      "the parties shall meet on the street or elsewhere as agreed between them from time to time",
      [],
    ],
  ])("of %j are %j", (text, addresses) => {
    expect(found("address", text)).toEqual(addresses);
  });
});
