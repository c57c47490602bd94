import { describe, expect, it } from "vitest";
import type { PlacedLine } from "../../parsing/document-text.ts";
import { documentText } from "../../parsing/document-text.ts";
import { linesOf } from "../../parsing/line-spans.ts";
import { NEUTRAL_CONVENTIONS } from "../values/value.ts";
import { choiceOf } from "./choice.ts";
import { locate } from "./locate.ts";

const textOf = (...lines: readonly string[]) =>
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
        blocks: [{ kind: "paragraph", lines: lines.flatMap((line) => linesOf(line)) }],
      },
    ],
  });

const ticked = (text: string): string[] | null => {
  const [line] = textOf(text).lines as [PlacedLine];
  const choice = choiceOf(line);
  return choice?.ticked.map(({ start, end }) => line.text.slice(start, end)) ?? null;
};

describe("boxes of which some are ticked", () => {
  it.each([
    ["Fuel: ☒ Petrol  ☐ Diesel  ☐ Electric", ["Petrol"]],
    ["Fuel: ☐ Petrol ☐ Diesel oil ☑ Electric", ["Electric"]],
    ["Insured   [ ] Yes   [X] No", ["No"]],
    ["Sex: male ( )  female (x)", ["female"]],
    ["Delivery: ☒ Mail ☒ Courier ☐ Collected", ["Mail", "Courier"]],
    ["Fuel: ☐ Petrol  ☐ Diesel", []],
    ["Result  X Pass  Fail", ["Pass"]],
    ["Result  Pass  Fail", null],
    ["I agree: ☒", null],
    ["X Ltd  Y Ltd  Z Ltd", null],
  ])("%s", (text, expected) => {
    expect(ticked(text)).toEqual(expected);
  });

  it("answer the label before or over them, and nothing where none is ticked", () => {
    const answer = (label: string, kind: "text" | "boolean", ...lines: readonly string[]) =>
      locate(
        textOf(...lines),
        { kind: "label", labels: [label], where: ["right", "below"], pick: "first", except: [] },
        { kind, multiple: false, enum: [] },
        NEUTRAL_CONVENTIONS,
      ).map(({ normal }) => normal);
    expect(answer("fuel", "text", "Fuel: ☐ Petrol  ☒ Diesel")).toEqual(["Diesel"]);
    expect(answer("fuel", "text", "Fuel", "[ ] Petrol   [x] Diesel")).toEqual(["Diesel"]);
    expect(answer("fuel", "text", "Fuel: ☐ Petrol  ☐ Diesel")).toEqual([]);
    expect(answer("insured", "boolean", "Insured: ☐ Yes  ☒ No")).toEqual([false]);
    expect(answer("insured", "boolean", "Insured: ☒ Yes  ☐ No")).toEqual([true]);
  });
});
