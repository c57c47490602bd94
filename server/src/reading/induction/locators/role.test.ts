import { describe, expect, it } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { locate } from "./locate.ts";
import { rolesOf } from "./role.ts";

const contract = (text: string) =>
  documentText({
    version: 1,
    mediaType: "text/plain",
    title: null,
    warnings: [],
    pages: [
      {
        number: 1,
        width: null,
        height: null,
        blocks: text.split("\n\n").map((paragraph) => ({
          kind: "paragraph" as const,
          lines: paragraph.split("\n").map((line) => ({ spans: [{ text: line, box: null }] })),
        })),
      },
    ],
  });

const rolesIn = (text: string): Record<string, string> =>
  Object.fromEntries(rolesOf(contract(text)).map(({ role, name }) => [role, name]));

describe("parties by their roles", () => {
  it("are those that stand before their definitions, in brackets or behind hereinafter", () => {
    expect(
      rolesIn(
        'This Agreement (the "Agreement") is made between Acme, Inc., a Delaware corporation (the "Seller"),\n' +
          "and Jane Roe of Flat 3, Mill Lane, Walker Lodge (hereinafter the “Buyer”).",
      ),
    ).toEqual({ Seller: "Acme, Inc.", Buyer: "Jane Roe" });
    expect(
      rolesIn(
        "LEASE\n\nBETWEEN\nGreen, Wilson and Fraser Ltd, hereinafter called the Landlord,\nAND\nRonald Webb, hereinafter called the Tenant.",
      ),
    ).toEqual({ Landlord: "Green, Wilson and Fraser Ltd", Tenant: "Ronald Webb" });
    expect(
      rolesIn('PARTIES\n\n(1) Acme Ltd ("the Company"); and\n(2) Jane Roe ("the Consultant").'),
    ).toEqual({ Company: "Acme Ltd", Consultant: "Jane Roe" });
  });

  it("are defined in other languages, behind titles and addresses", () => {
    expect(
      rolesIn(
        "zwischen der Holzbau Reuter GmbH, Am Hafen 9, 28195 Bremen (nachfolgend „Auftragnehmer“) und der Optik Baum GmbH (nachfolgend „Auftraggeber“).",
      ),
    ).toEqual({ Auftragnehmer: "Holzbau Reuter GmbH", Auftraggeber: "Optik Baum GmbH" });
    expect(
      rolesIn(
        "Entre la société Ateliers Dumoulin SARL, ci-après dénommée « le Prestataire », et Anne Roux, ci-après le bailleur.",
      ),
    ).toEqual({ Prestataire: "Ateliers Dumoulin SARL", bailleur: "Anne Roux" });
  });

  it("are named beside the name alone, by terms of trade", () => {
    expect(rolesIn("Zwischen Anna Vogel (Vermieterin) und Ruth Cole (Mieterin) gilt:")).toEqual({
      Vermieterin: "Anna Vogel",
      Mieterin: "Ruth Cole",
    });
    expect(rolesIn("de una parte D. Juan Gil Soto, como arrendador, y otra")).toEqual({
      arrendador: "Juan Gil Soto",
    });
    expect(rolesIn("I, Ruth Hughes, landlord of the flat, and Ann Lee, friend of mine,")).toEqual({
      landlord: "Ruth Hughes",
    });
  });

  it("are found by what they mean, and all of them where no list names the parties", () => {
    const find = (text: string, ...roles: string[]) =>
      locate(
        contract(text),
        { kind: "role", roles },
        { kind: "organization", multiple: true, enum: [] },
        NEUTRAL_CONVENTIONS,
      ).map(({ normal }) => normal);
    const german = "Zwischen Anna Vogel (Vermieterin) und Ruth Cole (Mieterin) gilt:";
    expect(find(german, "landlord")).toEqual(["Anna Vogel"]);
    expect(find(german, "*")).toEqual(["Anna Vogel", "Ruth Cole"]);
    expect(find('made between Acme, Inc. (the "Seller") and Jane Roe', "*")).toEqual([]);
  });

  it("leave out who was given no role, and what is no party", () => {
    expect(
      rolesIn('The agreement between Acme, Inc. and Terry Smith (the "Employee") has a term.'),
    ).toEqual({ Employee: "Terry Smith" });
    expect(
      rolesIn('from March 1, 2024 (the "Effective Date") on, between Acme and Globex'),
    ).toEqual({});
    expect(rolesIn('1.2. Purchase Orders. Orders in writing (each a "Purchase Order")')).toEqual(
      {},
    );
    expect(rolesIn('NOTICE TO ALL\n\nWhatever is disclosed (the "Material") is secret.')).toEqual(
      {},
    );
  });

  it("are found by a role's key, for names alone", () => {
    const content = contract('between Acme, Inc. (the "Seller") and Jane Roe (the "Buyer")');
    const locator = { kind: "role" as const, roles: ["buyer"] };
    const target = { kind: "person" as const, multiple: false, enum: [] };
    const [finding] = locate(content, locator, target, NEUTRAL_CONVENTIONS);
    expect(finding).toMatchObject({ normal: "Jane Roe", text: "Jane Roe", page: 1 });
    expect(content.text.slice(finding!.start, finding!.end)).toBe("Jane Roe");
    expect(locate(content, locator, { ...target, kind: "date" }, NEUTRAL_CONVENTIONS)).toEqual([]);
  });

  it("are told by one word behind hereinafter, without quotes, where the word is a party's", () => {
    expect(
      rolesIn(
        "REUNIDOS\n\nDe una parte, D./Dña. Pilar Iglesias Mora, con DNI 12345678Z, en adelante el ARRENDADOR.\n" +
          "De otra parte, D./Dña. Juan Gil Serrano, con DNI 87654321X, en adelante el ARRENDATARIO.",
      ),
    ).toEqual({ ARRENDADOR: "Pilar Iglesias Mora", ARRENDATARIO: "Juan Gil Serrano" });
    expect(
      rolesIn("Between Ann Lee, of Leeds, hereinafter the Moon, and whoever reads this."),
    ).toEqual({});
  });
});
