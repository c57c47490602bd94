import { runInNewContext } from "node:vm";
import { describe, expect, it, vi } from "vitest";
import { collectArenas } from "./garbage.ts";

const flags = vi.hoisted(() => ({ isTakenBack: false }));

/** Another thread's setting of the same flag may come at any time, as the process has one for all. */
vi.mock("node:v8", async (original) => {
  const v8 = await original<typeof import("node:v8")>();
  return {
    ...v8,
    setFlagsFromString: (text: string) => {
      v8.setFlagsFromString(text);
      if (flags.isTakenBack) v8.setFlagsFromString("--no-expose-gc");
    },
  };
});

const collects = (): unknown => runInNewContext("typeof gc");

describe("the collector that threads of one process share", () => {
  it("is done without where somebody else has just hidden it, and looked for the next time", () => {
    flags.isTakenBack = true;
    expect(collectArenas).not.toThrow();
    expect(collects()).toBe("undefined");
    flags.isTakenBack = false;
    collectArenas();
    expect(collects()).toBe("function");
  });

  it("is not hidden from other threads", () => {
    collectArenas();
    expect(collects()).toBe("function");
  });
});
