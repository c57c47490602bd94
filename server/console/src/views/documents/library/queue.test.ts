import { expect, it } from "vitest";
import { doneOf, enqueued, isOver, nextOf, type Upload } from "./queue.ts";

const file = (bytes: number, name = "a.pdf"): File => {
  const made = new File(["x"], name);
  Object.defineProperty(made, "size", { value: bytes });
  return made;
};

it("sends two at a time, and none that the service would refuse for its size", () => {
  const uploads = enqueued([], [file(10), file(0), file(60 * 2 ** 20), file(20), file(30)], 7);
  expect(uploads.map(({ id, state }) => [id, state])).toEqual([
    [7, "waiting"],
    [8, "failed"],
    [9, "failed"],
    [10, "waiting"],
    [11, "waiting"],
  ]);
  expect(nextOf(uploads).map(({ id }) => id)).toEqual([7, 10]);
  const one = uploads.map(
    (each): Upload =>
      each.id === 7 ? { id: 7, file: each.file, state: "sending", sent: 0.5 } : each,
  );
  expect(nextOf(one).map(({ id }) => id)).toEqual([10]);
  expect(isOver(one)).toBe(false);
});

it("weighs files by their bytes", () => {
  const uploads: Upload[] = [
    { id: 1, file: file(30), state: "sending", sent: 0.5 },
    { id: 2, file: file(10), state: "done", documentId: "d" },
    { id: 3, file: file(60), state: "waiting" },
  ];
  expect(doneOf(uploads)).toBe(0.25);
  expect(isOver(uploads.slice(1, 2))).toBe(true);
});
