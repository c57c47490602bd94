import { execFileSync } from "node:child_process";
import process from "node:process";
import { describe, expect, it } from "vitest";

/**
 * In a process of its own, whose collector nobody has looked for yet. Another thread's setting of the same flag may come at any
 * time, as the process has one for all.
 */
const SCRIPT = `
  import { syncBuiltinESMExports } from "node:module";
  import v8 from "node:v8";
  import { runInNewContext } from "node:vm";
  const set = v8.setFlagsFromString;
  let isTakenBack = true;
  v8.setFlagsFromString = (text) => {
    set(text);
    if (isTakenBack) set("--no-expose-gc");
  };
  syncBuiltinESMExports();
  const { collectArenas } = await import(process.argv[1]);
  const collects = () => runInNewContext("typeof gc");
  collectArenas();
  const without = collects();
  isTakenBack = false;
  collectArenas();
  console.log(JSON.stringify({ without, next: collects() }));
`;

describe("the collector that threads of one process share", () => {
  it("is done without where somebody else has just hidden it, looked for the next time, and not hidden from others", () => {
    const url = new URL("./garbage.ts", import.meta.url).href;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", SCRIPT, url], {
      encoding: "utf8",
    });
    expect(JSON.parse(printed)).toEqual({ without: "undefined", next: "function" });
  });
});
