import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { inAnyCase } from "./any-case.ts";

it("letters match in both cases, and all else as it is", () => {
  const pattern = new RegExp(`^(?:${inAnyCase("stück|per ?cent|sq\\. ft\\.|straße|m²")})$`, "u");
  for (const text of ["stück", "STÜCK", "Per Cent", "PERCENT", "Sq. Ft.", "STRAßE", "M²"]) {
    expect(text).toMatch(pattern);
  }
  for (const text of ["stuck", "perXcent", "sqx ft.", "m2"]) expect(text).not.toMatch(pattern);
});

it("values are the same where patterns are compiled without optimization", () => {
  const recognise = fileURLToPath(new URL("./recognise.ts", import.meta.url));
  const values = fileURLToPath(new URL("./value.ts", import.meta.url));
  const text = "2 PCS, 3 Pieces, 5 Per Cent, 7 DOLLARS, 1.5 Million EUR, 4 kg, 6 LBS, 8 Prozent";
  const script = `
    import { recognise } from ${JSON.stringify(recognise)};
    import { NEUTRAL_CONVENTIONS } from ${JSON.stringify(values)};
    const found = recognise(${JSON.stringify(text)}, NEUTRAL_CONVENTIONS);
    console.log(JSON.stringify(found.map(({ kind, normal, unit }) => [kind, normal, unit])));`;
  const [plain, unoptimized] = [[], ["--no-regexp-optimization"]].map((flags) => {
    const run = [...flags, "--input-type=module", "--eval", script];
    const { status, stdout, stderr } = spawnSync(process.execPath, run, { encoding: "utf8" });
    expect(status, stderr).toBe(0);
    return JSON.parse(stdout);
  });
  expect(unoptimized).toEqual(plain);
  expect(plain).toContainEqual(["quantity", 2, "pcs"]);
  expect(plain).toContainEqual(["percent", 5, "%"]);
  expect(plain).toContainEqual(["money", 1_500_000, "EUR"]);
});
