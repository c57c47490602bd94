import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../trainer/config/config.ts";
import { planTable } from "../trainer/plan/plan.ts";
import { readTable } from "./readers/read-table.ts";
import type { ColumnKind, Table } from "./table.ts";
import { uncleanColumns } from "./unclean-columns.ts";

async function csv(cells: readonly string[], kind?: ColumnKind): Promise<Table> {
  const text = `x,z,y\n${cells.map((cell, i) => `${cell},${(i * 7) % 11},${i % 2}\n`).join("")}`;
  const kinds = kind ? { x: kind } : {};
  return (await readTable([new TextEncoder().encode(text)], { format: "csv", kinds })).table;
}

const cells = (rows: number, of: (i: number) => string) =>
  Array.from({ length: rows }, (_, i) => of(i));
const at = (row: number, text: string, others: readonly string[]) => others.with(row - 1, text);
const number = (i: number) => String(1000 + 37 * i);
const day = (i: number) => new Date(Date.UTC(2011, 0, 1 + i)).toISOString().slice(0, 10);
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const slashed = (i: number) => `${1 + (i % 28)}/${1 + (i % 12)}/20${10 + (i % 9)}`;

describe("uncleanColumns", () => {
  it.each<[string, string[], RegExp]>([
    [
      "one cell",
      at(40, "n/k", cells(60, number)),
      /"x" has 1 cell of 60 that is no number \("n\/k" in row 40\).*categories/,
    ],
    [
      "of many rows",
      at(151, "12.5x", cells(300, number)),
      /1 cell of 300.*"12.5x" in row 151.*treated as text/,
    ],
    [
      "two cells",
      at(9, "?!", at(50, "-", cells(60, number))),
      /2 cells of 60 that are no numbers \(first "\?!" in row 9\)/,
    ],
    [
      "a few decimal points among commas",
      at(
        59,
        "2.5",
        at(
          60,
          "1.5",
          cells(60, (i) => `"${i},5"`),
        ),
      ),
      /"x" has numbers with a decimal comma, such as "0,5" in row 1 \(58 cells\), and numbers with a decimal point, such as "2.5" in row 59 \(2 cells\); write all with a point.* Until then it is treated as categories/,
    ],
    [
      "a few decimal commas among points",
      at(
        60,
        '"1,345.50"',
        at(
          59,
          '"2.345,50"',
          cells(60, (i) => `"1,${100 + i}.25"`),
        ),
      ),
      /decimal comma, such as "2.345,50" in row 59 \(1 cell\), .* point, such as "1,100.25" in row 1 \(59 cells\)/,
    ],
    [
      "categories that case or spaces tell apart",
      at(
        41,
        "not  sure",
        at(
          30,
          "NO",
          cells(60, (i) => (i % 3 === 0 ? "no" : i % 3 === 1 ? "not sure" : "maybe")),
        ),
      ),
      /"x" has a category in several spellings .*: "no" \(\d+ cells\), and "NO" \(1 cell\), first in row 30; so have 1 more/,
    ],
    [
      "a word for unknown",
      cells(90, (i) => (i % 3 ? number(i) : "unknown")),
      /30 cells of 90 .*"unknown" in row 1/,
    ],
    ["dates", at(3, "soon", cells(60, day)), /1 cell of 60 that is no time \("soon" in row 3\)/],
    ["dates of many rows", at(3, "soon", cells(300, day)), /1 cell of 300 that is no time/],
    ["dates with slashes", at(3, "soon", cells(60, slashed)), /1 cell of 60 that is no time/],
    [
      "booleans",
      at(
        5,
        "maybe",
        cells(60, (i) => (i % 3 ? "TRUE" : "false")),
      ),
      /1 cell of 60 that is no boolean \("maybe" in row 5\)/,
    ],
    [
      "a number beyond doubles",
      at(40, "1e400", cells(60, number)),
      /"x" has a number beyond what a double holds \("1e400" in row 40\); it is treated as categories\. Correct it,/,
    ],
    [
      "many of them",
      cells(2500, (i) => (i % 3 ? `-${number(i)}e400` : number(i))),
      /has 1666 numbers beyond what a double holds \(first "-1037e400" in row 2\)/,
    ],
    ["dollars", cells(60, (i) => `"$${1 + i},${200 + i}.50"`), /such as "\$1,200\.50" in row 1;/],
    ["euros", cells(300, (i) => `${number(i)} €`), /signs or separators, such as "1000 €"/],
    ["percents", cells(60, (i) => `${i}.5%`), /such as "0\.5%" in row 1; .* categories/],
    [
      "one unit",
      cells(60, (i) => `"${i},${i}1 kg"`),
      /with a unit behind them, such as "0,01 kg" in row 1; .* Write the number alone/,
    ],
    [
      "several units",
      cells(300, (i) => (i % 2 ? `${i + 1} m2` : `${i + 1}.5 Stk.`)),
      /with units \("Stk\.", "m2"\) behind them, .* treated as text\. Write all of them in one unit/,
    ],
    ["decimal commas", cells(60, (i) => `"${i},${i}1"`), /such as "0,01" in row 1/],
    [
      "thousands behind spaces",
      cells(60, (i) => `${1 + i} ${200 + i}`),
      /such as "1 200" in row 1/,
    ],
    ["signs of their own", cells(60, (i) => `−${number(i)}`), /such as "−1000" in row 1/],
    ["signs behind", cells(60, (i) => `${number(i)}.5-`), /such as "1000\.5-" in row 1/],
    ["codes of currency", cells(60, (i) => `USD ${number(i)}.25`), /such as "USD 1000\.25"/],
    [
      "weekdays and months in words",
      cells(60, (i) => `"Fri, ${1 + (i % 28)} ${MONTHS[i % 12]} 20${10 + (i % 9)}"`),
      /has times .* such as "Fri, 1 Jan 2010" in row 1; .* categories\. Write them as 2011-01-31 or/,
    ],
    [
      "months in words, of many rows, beside others",
      cells(2500, (i) =>
        i % 3
          ? `"${MONTHS[i % 12]}. ${1 + (i % 28)}, 20${10 + (i % 9)} 4:0${i % 10} p.m."`
          : day(i),
      ),
      /has times .* such as "Feb\. 2, 2011 4:01 p\.m\." in row 2; it is treated as text/,
    ],
    [
      "clocks of twelve hours",
      cells(60, (i) => `${slashed(i)} 3:0${i % 10} p.m.`),
      /has times .*"1\/1\/2010 3:00 p\.m\."/,
    ],
    [
      "months by their numbers and years, beside others",
      cells(60, (i) => (i === 7 ? "soon" : `${1 + (i % 12)}/${2010 + Math.floor(i / 12)}`)),
      /1 cell of 60 that is no time \("soon" in row 8\)/,
    ],
    [
      "years of two digits",
      cells(60, (i) => `${1 + (i % 12)}/${1 + (i % 28)}/${24 + (i % 3)}`),
      /has times .*"1\/1\/24"/,
    ],
    [
      "dollars of many rows, some of which are unknown",
      cells(2500, (i) => (i % 40 ? `$${number(i)}` : "unknown")),
      /such as "\$1037" in row 2/,
    ],
  ])("tells of %s, and so does the run", async (_, column, message) => {
    const table = await csv(column);
    expect(uncleanColumns(table.columns)).toEqual([
      expect.objectContaining({ column: "x", message: expect.stringMatching(message) }),
    ]);
    // A run reads the columns as the kinds that were found when the dataset was registered.
    const again = await csv(column, table.columns[0].kind);
    const config = runConfigSchema.parse({ task: { taskKind: "binclass", labelColumn: "y" } });
    const { warnings } = planTable(again, config, []).plan;
    expect(warnings).toEqual(expect.arrayContaining([expect.stringMatching(message)]));
    expect(warnings.join()).not.toMatch(/"x" looks like an identifier/);
    const left = runConfigSchema.parse({
      task: { taskKind: "binclass", labelColumn: "y", ignoreColumns: ["x"] },
    });
    expect(planTable(again, left, []).plan.warnings.join()).not.toMatch(/that (is|are) no /);
  });

  it.each<[string, string[]]>([
    ["grades", cells(80, (i) => ["2", "3", "4", "5more"][i % 4])],
    ["codes", cells(300, (i) => (i % 4 ? number(i) : `A/${i}`))],
    ["three words", cells(60, (i) => ["true", "false", "unknown"][i % 3])],
    ["numbers of telephones", cells(60, (i) => `555-12${10 + i}`)],
    ["versions", cells(60, (i) => `1.${i}.2`)],
    ["names of months", cells(60, (i) => `${MONTHS[i % 12]} ${i}`)],
    ["places", cells(60, (i) => `${i} March Street`)],
    ["parts", cells(60, (i) => `SKU ${number(i)}`)],
    ["codes with commas", cells(60, (i) => `"0${i},${i}"`)],
    ["few percents", cells(60, (i) => `${10 * (i % 5)}%`)],
    ["words", cells(60, (i) => ["red", "green", "7"][i % 3])],
    ["numbers that are declared categories", cells(60, number)],
    ["places in an order", cells(60, (i) => `${i + 30}th`)],
    ["codes that begin with numbers", cells(60, (i) => `${1000 + i}${"ABCDEFGH"[i % 8]}`)],
    ["quarters", cells(80, (i) => `${1990 + (i >> 2)} Q${1 + (i % 4)}`)],
  ])("says nothing of %s", async (_, column) => {
    expect(uncleanColumns((await csv(column, "categorical")).columns)).toEqual([]);
  });

  it("looks at the rows of the run alone", async () => {
    const table = await csv(at(40, "n/k", cells(60, number)));
    expect(uncleanColumns(table.columns, Uint32Array.of(0, 1, 2, 3))).toEqual([]);
    expect(uncleanColumns(table.columns, Uint32Array.of(0, 1, 2, 3, 39))).toHaveLength(1);
  });
});
