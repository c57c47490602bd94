import { describe, expect, it } from "vitest";
import { distinctNames, keyOf, meanings, type NameDefaults } from "./table-names.ts";

const defaults = { catalog: "shop", schema: "public" };
const none = { catalog: null, schema: null };
const meant = (name: string, given: NameDefaults = defaults): string[] => {
  const parts = name.split(".");
  const [table = "", schema = null, catalog = null] = parts.toReversed();
  return meanings({ catalog, schema, table }, given).map(keyOf);
};

describe("meanings", () => {
  it("takes a whole name as it is, in any case", () => {
    expect(meant("Sales.PUBLIC.Orders")).toEqual(["sales.public.orders"]);
    expect(meant("sales.public.orders", none)).toEqual(["sales.public.orders"]);
  });

  it("fills in the defaults", () => {
    expect(meant("orders")).toEqual(["shop.public.orders"]);
    expect(meant("orders", { catalog: "shop", schema: null })).toEqual(["shop.main.orders"]);
    expect(meant("orders", none)).toEqual([]);
  });

  it("takes two parts for a schema of the default catalog, or a catalog", () => {
    expect(meant("sales.orders")).toEqual(["shop.sales.orders", "sales.main.orders"]);
    expect(meant("sales.orders", none)).toEqual(["sales.main.orders"]);
  });

  it("leaves out names that no table can have", () => {
    expect(meant("pg_catalog.ünï")).toEqual([]);
    expect(meant("a-b")).toEqual([]);
    expect(meant(`${"a".repeat(64)}`)).toEqual([]);
  });
});

it("keeps each name once", () => {
  const name = { catalog: "a", schema: "b", table: "c" };
  expect(distinctNames([name, { ...name, table: "d" }, { ...name }]).map(keyOf)).toEqual([
    "a.b.c",
    "a.b.d",
  ]);
});
