import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { amountsByRole } from "./money-roles.ts";

const rolesOf = (text: string) =>
  amountsByRole(documentText(parseText("a.txt", text)), NEUTRAL_CONVENTIONS);

test("an amount has the role of the second pair of its line where the first one names none", () => {
  const { paid, change, total } = rolesOf(
    "TOTAL   127.35\nCASH   150.00\nITEM COUNT 12   CHANGE AMT   22.65\n",
  );
  expect({ paid, change, total }).toEqual({ paid: [150], change: [22.65], total: [127.35] });
});
