import { expect, it } from "vitest";
import { ObjectStoreUnavailableError } from "../objects/object-store.ts";
import { attemptsAlike, isOfSurroundings } from "./lasting-failures.ts";

const coded = (message: string, code: string) => Object.assign(new Error(message), { code });

it.each([
  ["a fault of the program", new TypeError("x is undefined"), 2],
  ["Node's own check of one", coded("The argument must be a string", "ERR_INVALID_ARG_TYPE"), 8],
  ["what nobody explains", new Error("the model is damaged"), 8],
  ["what is no error", "no", 8],
  ["a full disk", coded("no space left", "ENOSPC"), Number.POSITIVE_INFINITY],
  ["a store that is away", new ObjectStoreUnavailableError("gone"), Number.POSITIVE_INFINITY],
  [
    "a host that is away, below a TypeError of fetch",
    new TypeError("fetch failed", { cause: coded("refused", "ECONNREFUSED") }),
    Number.POSITIVE_INFINITY,
  ],
])("%s", (_, error, expected) => {
  expect(attemptsAlike(error)).toBe(expected);
});

it("tells what the service stands on from what a task did", () => {
  const failed = (cause: unknown) => new Error("the part could not be written", { cause });
  for (const error of [
    coded("no space left", "ENOSPC"),
    failed(coded("no space left", "EDQUOT")),
    failed(new ObjectStoreUnavailableError("AccessDenied", "refusing")),
    coded("the database is gone", "CONNECTION_CLOSED"),
  ]) {
    expect(isOfSurroundings(error)).toBe(true);
  }
  for (const error of [coded("a duplicate", "23505"), failed(new TypeError("undefined")), "no"]) {
    expect(isOfSurroundings(error)).toBe(false);
  }
});
