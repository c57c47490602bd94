import { describe, expect, it } from "vitest";
import { displayName, displayNameOrEmpty, NAME_LIMIT, nameOfFile } from "./display-name.ts";

const faults = (text: string) => displayName().safeParse(text).error?.issues.length ?? 0;

describe("a name", () => {
  it.each(["a", " a ", "Umsätze 2024", "売上", "👩‍👩‍👧", "مبيعات", "-", "x".repeat(NAME_LIMIT)])(
    "may be %j",
    (name) => expect(faults(name)).toBe(0),
  );

  it.each([
    "",
    " ",
    "\u00a0\u3000",
    "\u200b",
    "\ufeff",
    "\u2060\u00ad",
    "\u3164",
    "\u2800",
    "\u202e",
    "\ufe0f",
  ])("cannot be %j, of which nothing is seen", (name) => expect(faults(name)).toBe(1));

  it.each(["a\nb", "a\tb", "\u0007a", "a\u0085", "a\u2028b", "\u001b[31mred"])(
    "cannot be %j, which controls",
    (name) => expect(faults(name)).toBe(1),
  );

  it("may be left empty where nothing has to be chosen, but not blank", () => {
    expect(displayNameOrEmpty().safeParse("").success).toBe(true);
    expect(displayNameOrEmpty().safeParse("\u200b").success).toBe(false);
  });

  it("of a file is cut between characters, on one line, or none", () => {
    expect(nameOfFile("a\nb.csv")).toBe("a b.csv");
    expect(nameOfFile(`${"a".repeat(NAME_LIMIT - 1)}👩`)).toBe("a".repeat(NAME_LIMIT - 1));
    for (const none of [undefined, null, "", "\u200b", "\n"]) expect(nameOfFile(none)).toBeNull();
  });
});
