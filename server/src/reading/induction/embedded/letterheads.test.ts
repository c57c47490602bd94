import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { haveLetterheads } from "./letterheads.ts";

const isHeaded = (heads: readonly string[], below: string): boolean =>
  haveLetterheads(
    heads.map((head, n) => ({
      id: `${n}`,
      name: `${n}`,
      hash: `${n}`,
      content: documentText(parseText("a.txt", `${head}\n${below}\n\nOwner: Ann Lee ${n}\n`)),
    })),
    NEUTRAL_CONVENTIONS,
  );

test("names that come again over addresses are those that documents come from, titles are not", () => {
  const names = [
    "Paws & Claws Vets",
    "Länskraft Försäkring",
    "Paws & Claws Vets",
    "Länskraft Försäkring",
  ];
  expect(isHeaded(names, "12 Mill Lane\nLeeds LS2 7EW")).toBe(true);
  expect(isHeaded(names, "")).toBe(false);
  expect(
    isHeaded(
      names.map(() => names[0]!),
      "12 Mill Lane\nLeeds LS2 7EW",
    ),
  ).toBe(false);
  const titles = ["Spring Fair", "Choral Evening", "Robotics Day", "Book Forum"];
  expect(isHeaded(titles, "12 Mill Lane\nLeeds LS2 7EW")).toBe(false);
});
