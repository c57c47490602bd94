import { describe, expect, it } from "vitest";
import { withAsciiDigits } from "./digits.ts";
import { read } from "./kinds.ts";
import { recognise } from "./recognise.ts";
import { NEUTRAL_CONVENTIONS } from "./value.ts";

describe("digits of other scripts", () => {
  it("are those of ASCII, in their places", () => {
    let scripts = 0;
    for (let zero = 0x80; zero < 0x10000; zero++) {
      const digits = String.fromCharCode(...Array.from({ length: 10 }, (_, digit) => zero + digit));
      const isRun = /^\p{Nd}{10}$/u.test(digits) && !/\p{Nd}/u.test(String.fromCharCode(zero - 1));
      if (!isRun || withAsciiDigits(digits) === digits) continue;
      scripts++;
      expect([zero, withAsciiDigits(digits)]).toEqual([zero, "0123456789"]);
    }
    expect(scripts).toBeGreaterThan(15);
    expect(withAsciiDigits("المجموع: ١٬٢٣٤٫٥٠ ر.س")).toBe("المجموع: 1,234.50 ر.س");
  });

  it("are read in amounts, dates and numbers", () => {
    expect(read("money", "١٬٢٣٤٫٥٠ USD", NEUTRAL_CONVENTIONS)).toMatchObject({ normal: 1234.5 });
    expect(read("date", "٢٠٢٤-٠٣-٢٥", NEUTRAL_CONVENTIONS)).toMatchObject({ normal: "2024-03-25" });
    expect(read("number", "１２３", NEUTRAL_CONVENTIONS)).toMatchObject({ normal: 123 });
    const text = "दिनांक २५/०३/२०२४";
    expect(recognise(text, NEUTRAL_CONVENTIONS, ["date"])).toMatchObject([
      { normal: "2024-03-25", start: 7, end: 17 },
    ]);
  });
});
