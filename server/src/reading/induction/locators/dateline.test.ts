import { describe, expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { locate } from "./locate.ts";

const daysIn = (text: string) =>
  locate(
    documentText(parseText("a.txt", text)),
    { kind: "dateline" },
    { kind: "date", multiple: false, enum: [] },
    NEUTRAL_CONVENTIONS,
  ).map(({ normal }) => normal);

describe("the line of place and day", () => {
  test.each([
    "Bremen, den 27.10.2021",
    "Frankfurt am Main, 27. Oktober 2021",
    "Fait à Rouen, le 27 octobre 2021",
    "Fait en deux exemplaires à Saint-Malo, le 27/10/2021",
    "En Valencia, a 27 de octubre de 2021",
    "Firenze, lì 27 ottobre 2021",
    "Utrecht, 27 oktober 2021",
    "Leeds, 27 October 2021",
    "Warszawa, dnia 27.10.2021",
  ])("%s", (line) => {
    expect(daysIn(`A letter\n\nSome words of it.\n\n${line}\n`)).toEqual(["2021-10-27"]);
  });

  test.each([
    "Mittwoch, den 27.10.2021",
    "Wednesday, 27 October 2021",
    "Due by 27 October 2021",
    "Invoice date: 27.10.2021",
    "We met in Bremen, 27.10.2021 was the day",
    "the 27 October 2021",
  ])("is none: %s", (line) => {
    expect(daysIn(line)).toEqual([]);
  });
});
