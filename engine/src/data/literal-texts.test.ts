import { describe, expect, it } from "vitest";
import type { SourceColumn } from "./feature-schema.ts";
import { fitFeatureSchema } from "./fit-feature-schema.ts";
import { literalTexts, standsForMissing, withoutStandIns } from "./literal-texts.ts";
import { MISSING_TOKENS } from "./readers/missing.ts";
import type { Column } from "./table.ts";

const text = (...literal: string[]): SourceColumn => ({
  ...{ kind: "text", name: "t", parts: [], tokens: [] },
  literalTexts: literal,
});
const category = (...categories: string[]): SourceColumn => ({
  ...{ kind: "categorical", name: "t", categories },
  omitted: 0,
});
const texts = (...values: (string | null)[]): Column => ({ kind: "text", name: "t", values });

describe("texts that stand for missing cells", () => {
  it("are those of files, spaces around them or not", () => {
    for (const source of [text(), category("a")]) {
      for (const token of MISSING_TOKENS) {
        expect(standsForMissing(source, token), token).toBe(true);
        expect(standsForMissing(source, ` ${token} `), token).toBe(true);
      }
      for (const said of ["none", "a", "0", "NA."]) {
        expect(standsForMissing(source, said), said).toBe(false);
      }
    }
  });

  it("are what they say, each by itself, where training data held them", () => {
    expect(standsForMissing(text("NA"), "NA")).toBe(false);
    expect(standsForMissing(text("NA"), "")).toBe(true);
    expect(standsForMissing(category("", "a"), "")).toBe(false);
    expect(standsForMissing(category("", "a"), "NA")).toBe(true);
  });

  it("are texts to a model that did not keep which its training data held", () => {
    const older: SourceColumn = { kind: "text", name: "t", parts: [], tokens: [] };
    expect(standsForMissing(older, "")).toBe(false);
    expect(withoutStandIns(older, texts("", "NA"))).toEqual(texts("", "NA"));
  });

  it("are kept by fitting, of the rows that are fitted alone", () => {
    const values = ["one", "", " NA", "two words", "", null, "?"];
    const literalOf = (rows: Uint32Array | null) =>
      fitFeatureSchema({ rows: 7, columns: [texts(...values)] }, { rows }).columns[0];
    expect(literalOf(null)).toMatchObject({ literalTexts: ["", "?", "NA"] });
    expect(literalOf(Uint32Array.of(0, 1, 3))).toMatchObject({ literalTexts: [""] });
    expect(literalTexts(values, Uint32Array.of(0, 3))).toEqual([]);
  });

  it("leave a column that has none as it is", () => {
    const columns: [SourceColumn, Column][] = [
      [text(), texts("a", null)],
      [text(""), texts("", null)],
      [
        category("NA"),
        { kind: "categorical", name: "t", codes: Int32Array.of(0, -1), categories: ["NA"] },
      ],
    ];
    for (const [source, column] of columns) expect(withoutStandIns(source, column)).toEqual(column);
  });

  it("are missing cells of the column", () => {
    expect(withoutStandIns(text("NA"), texts("a", "", "NA", null))).toEqual(
      texts("a", null, "NA", null),
    );
    const column: Column = {
      ...{ kind: "categorical", name: "t", categories: ["", "a", "new", "NA"] },
      codes: Int32Array.of(3, 2, 1, 0, -1),
    };
    expect(withoutStandIns(category("a", "NA"), column)).toMatchObject({
      codes: Int32Array.of(3, 2, 1, -1, -1),
    });
  });
});
