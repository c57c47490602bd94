import { expect, test } from "vitest";
import { documentText } from "../../parsing/document-text.ts";
import { parseText } from "../../parsing/parse.ts";
import { stretchOfSpan, textOfStretch } from "./layout.ts";
import { isNextLabel } from "./next-row.ts";

function below(lines: readonly string[], spanIndex: number): boolean {
  const [line, next] = documentText(parseText("a.txt", lines.join("\n"))).lines;
  const stretch = stretchOfSpan(next!, next!.spans[spanIndex]!);
  return isNextLabel(line!, spanIndex, stretch, textOfStretch(stretch));
}

test("of rows with names and answers in turn, a name answers nothing", () => {
  const form = [
    "Vehicle     Estate     Plate      AB12XYZ",
    "Chassis no  WX1234     Mileage    187313",
  ];
  expect(below(form, 0)).toBe(true);
  expect(below(form, 2)).toBe(true);
  expect(below(["Vehicle    Estate", "Mileage    187313"], 0)).toBe(true);
});

test("a row of names is answered by the one below", () => {
  expect(below(["Seat     Gate", "Window   North"], 0)).toBe(false);
  expect(below(["Vehicle     Plate", "Estate      AB12"], 0)).toBe(false);
});
