import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inLearnedOrder } from "./learned-order.ts";
import { readTable } from "./readers/read-table.ts";
import { inOtherOrder, parseTimestamp, type SlashedOrder } from "./readers/timestamp-text.ts";
import type { Column, Table } from "./table.ts";

const two = (value: number): string => String(value).padStart(2, "0");
/** Dates whose day could be a month, and hours of theirs. */
const eitherWay = fc
  .record({
    first: fc.integer({ min: 1, max: 12 }),
    second: fc.integer({ min: 1, max: 12 }),
    year: fc.integer({ min: 1900, max: 2100 }),
    time: fc.constantFrom("", " 10:05", " 23:59:59.999999"),
  })
  .map(({ first, second, year, time }) => `${two(first)}/${two(second)}/${year}${time}`);

async function tableOf(cells: readonly string[]): Promise<Table> {
  const { table } = await readTable(
    [Buffer.from(["d,n", ...cells.map((cell, i) => `${cell},${i}`)].join("\n"))],
    {
      format: "csv",
    },
  );
  return table;
}

const learned = (slashed: SlashedOrder | undefined) => ({
  columns: [{ kind: "timestamp" as const, name: "d", origin: 0, parts: [], slashed }],
});

function timesOf(column: Column | undefined): number[] {
  if (column?.kind !== "timestamp") throw new TypeError(`the column is ${column?.kind}`);
  return Array.from(column.values);
}

describe("dates that could be of either order", () => {
  it("are those of the other order, and again those of the first", () => {
    fc.assert(
      fc.property(eitherWay, (text) => {
        const [month, day] = [
          parseTimestamp(text, "month-first"),
          parseTimestamp(text, "day-first"),
        ];
        expect(inOtherOrder(month)).toBeCloseTo(day, 3);
        expect(inOtherOrder(inOtherOrder(month))).toBeCloseTo(month, 3);
      }),
    );
  });

  it("are read as the training data were, whatever kind their column was taken for", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(eitherWay, { minLength: 1, maxLength: 8 }),
        fc.constantFrom<SlashedOrder>("day-first", "month-first"),
        async (cells, order) => {
          const wanted = cells.map((cell) => parseTimestamp(cell, order));
          const read = await tableOf(cells);
          const texts: Table = {
            rows: cells.length,
            columns: [{ kind: "text", name: "d", values: cells }],
          };
          const categories: Table = {
            rows: cells.length,
            columns: [
              {
                kind: "categorical",
                name: "d",
                codes: Int32Array.from(cells.keys()),
                categories: cells.map((cell) => ` ${cell}`),
              },
            ],
          };
          for (const table of [read, texts, categories]) {
            const { columns } = inLearnedOrder(table, learned(order)).table;
            for (const [row, time] of timesOf(columns[0]).entries()) {
              expect(time).toBeCloseTo(wanted[row] ?? Number.NaN, 3);
            }
          }
        },
      ),
    );
  });

  it("are told of, by how they are read", async () => {
    const { warnings } = inLearnedOrder(await tableOf(["03/04/2021"]), learned("day-first"));
    expect(warnings).toEqual([
      {
        message:
          'Column "d" has dates that could be of either order; they are read as day, month, year, as the model\'s training data were.',
        column: "d",
      },
    ]);
  });
});

describe("columns that are read as before", () => {
  const cases: [string, readonly string[], SlashedOrder | undefined][] = [
    ["dates that tell their order", ["03/04/2021", "03/25/2021"], "day-first"],
    ["dates of the year first", ["2021-03-04", "2021-03-05"], "day-first"],
    ["texts one of which is no date", ["03/04/2021", "soon"], "day-first"],
    ["times of zones, whose days the other order moves", ["03/04/2021 23:00 -0500"], "day-first"],
    ["dates of a model that learned others", ["03/04/2021"], undefined],
    ["dates of a model that learned abbreviated ones", ["03/04/2021"], "abbreviated"],
    ["dates in that order", ["03/04/2021"], "month-first"],
  ];
  it.each(cases)("%s", async (_, cells, order) => {
    const table = await tableOf(cells);
    expect(inLearnedOrder(table, learned(order))).toEqual({ table, warnings: [] });
  });
});

describe("texts that are no dates", () => {
  const categories = ["25/03/2021", "04/03/2021", "soon", " ", "31/03/2021"];
  const table = (codes: readonly number[]): Table => ({
    rows: codes.length,
    columns: [{ kind: "categorical", name: "d", codes: Int32Array.from(codes), categories }],
  });

  it.each<SlashedOrder | undefined>(["day-first", "month-first", "abbreviated", undefined])(
    "do not decide the order of those that are, where no row has them: %s",
    (order) => {
      const { table: read, warnings } = inLearnedOrder(table([0, 1, 3, -1, 4]), learned(order));
      expect(timesOf(read.columns[0])).toEqual([
        Date.UTC(2021, 2, 25),
        Date.UTC(2021, 2, 4),
        Number.NaN,
        Number.NaN,
        Date.UTC(2021, 2, 31),
      ]);
      expect(warnings).toEqual([]);
    },
  );

  it("are left to who refuses them, where a row has one", () => {
    expect(inLearnedOrder(table([0, 2]), learned("day-first")).table).toEqual(table([0, 2]));
  });
});
