import {
  Bool,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  List,
  Struct,
  TimeMicrosecond,
  TimestampMicrosecond,
  Uint64,
  Utf8,
} from "apache-arrow";
import { expect, it } from "vitest";
import { columnTypeWord } from "./column-type.ts";

it("says of Arrow's types what people call them", () => {
  const item = new Field("item", new Utf8(), true);
  const types = {
    text: [new Utf8(), new Dictionary(new Utf8(), new Int32())],
    "whole number": [new Int32(), new Uint64()],
    number: [new Float64()],
    "decimal number": [new Decimal(2, 10)],
    "yes or no": [new Bool()],
    date: [new DateDay()],
    "date and time": [new TimestampMicrosecond(), new TimestampMicrosecond("UTC")],
    "time of day": [new TimeMicrosecond()],
    list: [new List(item)],
    record: [new Struct([item])],
  };
  for (const [word, named] of Object.entries(types)) {
    for (const type of named) expect(columnTypeWord(String(type)), String(type)).toBe(word);
  }
  expect(columnTypeWord("Geometry")).toBe("Geometry");
});
