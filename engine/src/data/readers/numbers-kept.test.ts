import { describe, expect, it } from "vitest";
import { uncleanColumns } from "../unclean-columns.ts";
import { readTable } from "./read-table.ts";

const LARGE = "12345678901234567890";
const BEYOND = "1e400";

/** The texts of a column, and what is said of it, where it is read and where it is stored. */
async function told(format: "csv" | "ndjson", cells: readonly string[]) {
  const text =
    format === "csv" ? `a\n${cells.join("\n")}\n` : cells.map((cell) => `{"a":${cell}}\n`).join("");
  const { table, warnings } = await readTable([new TextEncoder().encode(text)], { format });
  const [column] = table.columns;
  const said = [...warnings, ...uncleanColumns(table.columns)].map(({ message }) => message);
  if (column.kind !== "categorical") return { texts: null, said };
  return { texts: Array.from(column.codes, (code) => column.categories[code]), said };
}

describe.each(["csv", "ndjson"] as const)("numbers that doubles do not hold, in %s", (format) => {
  it.each([
    [["1", "2", BEYOND], /"a" has a number beyond what a double holds \("1e400" in row 3\)/],
    [["1", "2", `-${BEYOND}`], /"a" has a number beyond what a double holds \("-1e400" in row 3\)/],
    [[BEYOND, "1", "2"], /beyond what a double holds \("1e400" in row 1\)/],
    [["1", "1", "1", LARGE, BEYOND], /"a" has integers whose last digits .* in row 4/],
    [["1", "1", BEYOND, LARGE, "1"], /"a" has integers whose last digits .* in row 4/],
    [[BEYOND, LARGE, "1", "1"], /"a" has integers whose last digits .* in row 2/],
  ])("are kept as they are written, with a warning: %j", async (cells, message) => {
    const { texts, said } = await told(format, cells);
    expect(texts).toEqual(cells);
    expect(said).toEqual([expect.stringMatching(message)]);
  });
});

it("says nothing of exponents that doubles hold", async () => {
  const { texts, said } = await told("ndjson", ["1e300", "1.5", "2e-400"]);
  expect({ texts, said }).toEqual({ texts: null, said: [] });
});

it("tells of leading zeros beside a number that no double holds", async () => {
  const { said } = await told("csv", ["01234", "90210", BEYOND]);
  expect(said).toEqual([expect.stringMatching(/leading zeros, as codes have, first "01234"/)]);
});
