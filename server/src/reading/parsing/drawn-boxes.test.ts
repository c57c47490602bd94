import { expect, test } from "vitest";
import { withoutBorders } from "./drawn-boxes.ts";

test("boxes lose their borders, and what is in them keeps its columns", () => {
  const drawn = [
    "Waybill | copy",
    "+----------+-------+",
    "| Sender   | No.   |",
    "| Roy | Co | 17    |",
    "+----------+-------+",
    "Total",
    "-----",
  ];
  const read = withoutBorders(drawn);
  expect(read.map((line) => line.trim())).toEqual([
    "Waybill | copy",
    "",
    "Sender      No.",
    "Roy    Co    17",
    "",
    "Total",
    "-----",
  ]);
  expect(withoutBorders(["┌──┬──┐", "│ a │ b │", "╰─┴─╯"])).toEqual(["", "   a    b   ", ""]);
});

test("without a border that has corners nothing is a box", () => {
  const lines = ["| a | b |", "a + b", "+", "------", "+ - + -"];
  expect(withoutBorders(lines)).toEqual(lines);
});
