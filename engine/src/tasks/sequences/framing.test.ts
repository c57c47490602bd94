import { describe, expect, it } from "vitest";
import { takeSequences } from "../../data/frame.ts";
import { readCsv } from "../../data/readers/csv.ts";
import type { FramedTable, FramingRequest } from "../framing.ts";
import { sequenceFraming } from "./framing.ts";

const CSV = `id,t,x,on,kind,site,y
b,2,21,true,u,north,no
a,1,10,false,u,south,yes
b,1,20,false,v,north,no
a,2,,true,v,south,yes
a,3,12,true,u,south,yes
`;

async function framed(csv: string, more: Partial<FramingRequest> = {}): Promise<FramedTable> {
  const { table } = await readCsv([new TextEncoder().encode(csv)]);
  return sequenceFraming.frame(table, {
    task: { sequenceColumn: "id", orderColumn: "t" },
    rows: null,
    labelColumn: "y",
    beside: [],
    ignored: [],
    windows: 5,
    ...more,
  });
}

describe("steps in long form", () => {
  it("become one row a sequence in their order, with a channel for what varies", async () => {
    const { table, frame } = await framed(CSV);
    expect(table.rows).toBe(2);
    expect(table.columns.map(({ name }) => name).sort()).toEqual(["site", "y"]);
    if (frame.kind !== "sequences") throw new Error("These are sequences.");
    expect(frame.columns).toEqual(["x", "on", "kind", "kind"]);
    expect([...frame.offsets]).toEqual([0, 2, 5]);
    expect([...frame.values[0]]).toEqual([20, 21, 10, Number.NaN, 12]);
    expect([...frame.values[1]]).toEqual([0, 1, 0, 1, 1]);
    // u and v, of b's and then of a's steps.
    expect([...frame.values[2]]).toEqual([0, 1, 1, 0, 1]);
    expect([...frame.values[3]]).toEqual([1, 0, 0, 1, 0]);
  });

  it("are read for predictions as they were for training, whatever the order of the rows", async () => {
    const { frame, saved } = await framed(CSV);
    const [header, ...lines] = CSV.trim().split("\n");
    const turned = [header, ...lines.toReversed()].join("\n");
    const { table } = await readCsv([new TextEncoder().encode(turned)]);
    const read = sequenceFraming.read(table, saved);
    expect(read.keys).toEqual([{ id: "a" }, { id: "b" }]);
    if (frame.kind !== "sequences" || read.frame.kind !== "sequences") throw new Error("sequences");
    const same = takeSequences(frame, Uint32Array.of(1, 0));
    expect(read.frame.values.map((values) => [...values])).toEqual(
      same.values.map((values) => [...values]),
    );
  });

  it("are one sequence where the rows to predict name none, and missing where a column is", async () => {
    const { saved } = await framed(CSV);
    const { table } = await readCsv([new TextEncoder().encode("t,x\n1,5\n2,6\n")]);
    const { frame, keys, warnings } = sequenceFraming.read(table, saved);
    expect(keys).toEqual([{}]);
    if (frame.kind !== "sequences") throw new Error("These are sequences.");
    expect([...frame.values[0]]).toEqual([5, 6]);
    expect([...frame.values[1]]).toEqual([Number.NaN, Number.NaN]);
    expect(warnings.join("\n")).toMatch(/no "id"[\s\S]*"on" is absent/);
  });

  it("keep how their times were written, for the rows of requests", async () => {
    const of = async (dates: readonly string[]) => {
      const lines = dates.map((date, i) => `${i % 2 ? "a" : "b"},${date},${i},${i % 2}`);
      const { saved } = await framed(["id,t,x,y", ...lines].join("\n"));
      return sequenceFraming.inputs(saved).find(({ name }) => name === "t");
    };
    expect(await of(["31-01-2015", "30-01-2015", "02-03-2015", "01-02-2015"])).toMatchObject({
      slashed: "day-first",
    });
    expect(await of(["01/2015", "02/2015", "03/2015", "04/2015"])).toMatchObject({
      slashed: "abbreviated",
    });
    expect(await of(["2015-01", "2015-02", "2015-03", "2015-04"])).toMatchObject({
      slashed: undefined,
    });
  });

  it("end with their last value where files pad shorter ones with missing values", async () => {
    const padded = `id,t,x,z,y
a,1,1,2,no
a,2,,3,no
a,3,,,no
a,4,,,no
b,1,5,6,yes
b,2,,,yes
b,3,7,,yes
b,4,8,8,yes
c,1,,,no
c,2,,,no
c,3,,,no
c,4,,,no
`;
    const { frame, saved, warnings } = await framed(padded);
    if (frame.kind !== "sequences") throw new Error("These are sequences.");
    expect([...frame.offsets]).toEqual([0, 2, 6, 7]);
    expect([...frame.values[0]]).toEqual([1, Number.NaN, 5, Number.NaN, 7, 8, Number.NaN]);
    expect([...frame.values[1]]).toEqual([2, 3, 6, Number.NaN, Number.NaN, 8, Number.NaN]);
    expect(frame.offsets.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(warnings.join("\n")).toMatch(/^5 rows at the ends of sequences have no value/);
    const { table } = await readCsv([new TextEncoder().encode("id,t,x,z\na,1,4,4\na,2,,\n")]);
    const read = sequenceFraming.read(table, saved);
    if (read.frame.kind !== "sequences") throw new Error("These are sequences.");
    expect([...read.frame.offsets]).toEqual([0, 1]);
  });

  it("keep missing values at their ends where such are anywhere", async () => {
    const gaps = "id,t,x,y\na,1,1,no\na,2,,no\na,3,2,no\nb,1,,yes\nb,2,4,yes\nb,3,,yes\n";
    const { frame, saved, warnings } = await framed(gaps);
    expect([...frame.offsets]).toEqual([0, 3, 6]);
    expect(warnings.join("\n")).not.toMatch(/no value/);
    const { table } = await readCsv([new TextEncoder().encode("id,t,x\na,1,4\na,2,\n")]);
    expect([...sequenceFraming.read(table, saved).frame.offsets]).toEqual([0, 2]);
  });

  it.each([
    [
      "a label that changes",
      CSV.replace("a,3,12,true,u,south,yes", "a,3,12,true,u,south,no"),
      /"y" changes within the sequence "a".*row 2.*row 5/,
    ],
    [
      "two steps at one place",
      CSV.replace("a,3,", "a,2,"),
      /"a" has two steps at 2 of "t": rows 4 and 5/,
    ],
    ["a row without a sequence", CSV.replace("b,1,", ",1,"), /Row 3 has no value in "id"/],
    [
      "a place that is no number",
      CSV.replace("a,2,", "a,second,"),
      /The order "t" must hold times or numbers, but row 4 holds "second"\. 1 of 5 rows/,
    ],
    ["a step without a place", CSV.replace("b,1,", "b,,"), /Row 3 has no value in "t"/],
  ])("with %s are refused, by name and row", async (_, csv, message) => {
    await expect(framed(csv)).rejects.toThrow(message);
  });

  it("that never vary are told to be numbered by another column", async () => {
    const csv = "id,t,x,y\na,1,3,yes\na,2,3,yes\nb,1,4,no\nb,2,4,no\n";
    await expect(framed(csv)).rejects.toThrow(/No column varies within the sequences/);
  });
});
