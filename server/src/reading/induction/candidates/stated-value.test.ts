import { expect, it } from "vitest";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { statedValue } from "./stated-value.ts";

it.each([
  ["131/60", "identifier", "131/60"],
  ["147/63 mmHg", "identifier", "147/63"],
  ["-14 °C", "quantity", -14],
])("%j is stated as %s", (text, kind, normal) => {
  expect(statedValue(text, NEUTRAL_CONVENTIONS)).toMatchObject({ kind, normal });
});
