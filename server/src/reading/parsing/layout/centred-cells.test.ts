import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withCentredCells } from "./centred-cells.ts";
import type { GlyphRun } from "./glyph-run.ts";
import { regionsOf } from "./regions.ts";

function run(text: string, left: number, baseline: number): GlyphRun {
  const right = left + 5 * text.length;
  return { text, left, right, baseline, size: 10, bold: false, confidence: null };
}

const read = (runs: readonly GlyphRun[]): string[] =>
  regionsOf(runs).flatMap((lines) =>
    lines.map(({ spans }) => spans.map((s) => s.text).join(" | ")),
  );

describe("cells that are centred in their row", () => {
  it("stand beside the first of two lines that the next cell is wrapped to", () => {
    const rows = [
      run("Seat", 50, 20),
      run("country POLAND", 300, 20),
      run("street Lipowa 33, code 25-563,", 300, 40),
      run("Address", 50, 46),
      run("post LUBLIN", 300, 52),
      run("Capital", 50, 72),
      run("1 000 000", 300, 72),
      run("Legal form of the company, as", 50, 92),
      run("LIMITED", 300, 98),
      run("it is entered", 50, 104),
    ];
    expect(read(rows)).toEqual([
      "Seat | country POLAND",
      "Address | street Lipowa 33, code 25-563,",
      "post LUBLIN",
      "Capital | 1 000 000",
      "Legal form of the company, as | LIMITED",
      "it is entered",
    ]);
  });

  it("stand beside the first of three, where space parts the rows", () => {
    const rows = [
      run("Seat", 50, 20),
      run("POLAND", 300, 20),
      run("Lipowa 33", 300, 40),
      run("Address", 50, 52),
      run("25-563", 300, 52),
      run("LUBLIN", 300, 64),
      run("Capital", 50, 84),
      run("1 000 000", 300, 84),
    ];
    expect(read(rows)).toEqual([
      "Seat | POLAND",
      "Address | Lipowa 33",
      "25-563",
      "LUBLIN",
      "Capital | 1 000 000",
    ]);
  });

  it("are none where labels stand at the first line, or where two columns are set at different heights", () => {
    const atTheTop = [
      run("Trustees", 50, 20),
      run("Ann Lee", 300, 20),
      run("Bo Hale", 300, 32),
      run("Number", 50, 44),
      run("943", 300, 44),
      run("944", 300, 56),
      run("Bank", 50, 68),
      run("Acme", 300, 68),
    ];
    expect(read(atTheTop)).toEqual([
      "Trustees | Ann Lee",
      "Bo Hale",
      "Number | 943",
      "944",
      "Bank | Acme",
    ]);
    const columns = [0, 1, 2, 3].flatMap((n) => [
      run(`left ${n}`, 50, 20 + 12 * n),
      run(`right ${n}`, 300, 26 + 12 * n),
    ]);
    expect(withCentredCells(columns.map((one) => [one]))).toHaveLength(columns.length);
  });

  it("lose nothing and add nothing, whatever the rows", () => {
    const place = fc.record({
      text: fc.constantFrom("Total", "12.50", " ", "a long line of words"),
      left: fc.integer({ min: 0, max: 20 }).map((n) => n * 20),
      size: fc.constantFrom(6, 10),
    });
    const rows = fc.array(
      fc.record({
        runs: fc.array(place, { minLength: 1, maxLength: 4 }),
        step: fc.integer({ min: 1, max: 30 }),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(rows, (drawn) => {
        let baseline = 0;
        const laid = drawn.map(({ runs, step }) => {
          baseline += step;
          return runs.map(
            ({ text, left, size }): GlyphRun => ({ ...run(text, left, baseline), size }),
          );
        });
        const kept = withCentredCells(laid).flat();
        const shown = laid.flat().filter(({ text }) => text.trim() !== "");
        expect(kept.filter(({ text }) => text.trim() !== "")).toHaveLength(shown.length);
        expect(new Set(kept)).toEqual(
          new Set([...kept].filter((one) => laid.flat().includes(one))),
        );
      }),
    );
  });
});
