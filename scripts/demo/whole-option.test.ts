import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { wholeOption } from "./whole-option.ts";

it("is a whole number", () => {
  expect(wholeOption("trials", "20")).toBe(20);
});

it.each([
  ["demo.ts", "--trials=x", '--trials must be a whole number of at least 1, but is "x"\n'],
  ["demo-forecast.ts", "--days=0", '--days must be a whole number of at least 1, but is "0"\n'],
  [
    "demo-documents.ts",
    "--trials=3",
    "there is no option --trials; there are --help, --port, --receipts, --exit\n",
  ],
  [
    "demo-sequences.ts",
    "three",
    '"three" is no option; there are --help, --port, --trials, --days, --exit\n',
  ],
])("else ends %s %s before it starts a server", (demo, option, message) => {
  const program = fileURLToPath(new URL(`../${demo}`, import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, option], {
    encoding: "utf8",
  });
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: message });
});
