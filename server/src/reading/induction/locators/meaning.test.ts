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
