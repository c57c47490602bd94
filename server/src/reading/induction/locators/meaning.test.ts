import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS, type ValueKind } from "../values/value.ts";
import { locate } from "./locate.ts";
import { locatorSchema } from "./locator.ts";

const find = (text: string, meanings: readonly string[], kind: ValueKind, except: string[] = []) =>
  locate(
    documentText(parseText("a.txt", text)),
    locatorSchema.parse({ kind: "meaning", meanings, except }),
    { kind, multiple: false, enum: [] },
    NEUTRAL_CONVENTIONS,
  ).map(({ normal }) => normal);

test("a value is found beside and below labels of its meaning, in words that nobody listed", () => {
  const meanings = ["opening_balance"];
  expect(find("Anfangssaldo: 12.50\nEndsaldo: 99.00", meanings, "money")).toEqual([12.5]);
  expect(find("Ancien solde    12.50\nNouveau solde    99.00", meanings, "money")).toEqual([12.5]);
  expect(find("Vermieter    Mieter\nAnna Vogel    Ruth Cole", ["tenant"], "person")).toEqual([
    "Ruth Cole",
  ]);
});

test("none is found beside another meaning, or where a word of the label says otherwise", () => {
  expect(find("Closing balance: 99.00", ["opening_balance"], "money")).toEqual([]);
  expect(find("Opening balance, prior year: 1.00", ["opening_balance"], "money")).toEqual([]);
  expect(find("Deposit (refund): 5.00", ["deposit"], "money", ["refund"])).toEqual([]);
});

test("labels are read within a list, before a figure, and as the letter that signatures have", () => {
  const text = "Re: Ann Lee, DOB 12/03/1970, Policy No. 94347\nT: +49 170 4455667";
  expect(find(text, ["birth"], "date")).toEqual(["1970-03-12"]);
  expect(find(text, ["no policy"], "identifier")).toEqual(["94347"]);
  expect(find(text, ["phone"], "phone")).toEqual(["+491704455667"]);
  expect(find("Sold to Ann Lee, born to lead", ["birth"], "date")).toEqual([]);
});
