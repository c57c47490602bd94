import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { loggerOptions, prettyStream } from "./log.ts";

/** What a logger writes, as one text. */
function written(write: (log: pino.Logger) => void, pretty: boolean): string {
  let text = "";
  const output = {
    write(line: string) {
      text += line;
    },
  };
  write(pino(loggerOptions("info"), pretty ? prettyStream(output) : output));
  return text;
}

describe("the log", () => {
  test("is one JSON line an event, levels below the chosen one left out", () => {
    const text = written((log) => {
      log.info({ port: 8080 }, "listening");
      log.debug("not said");
    }, false);
    expect(text.trimEnd().split("\n")).toHaveLength(1);
    expect(JSON.parse(text)).toMatchObject({ level: 30, port: 8080, msg: "listening" });
  });

  test.each([true, false])("cuts secrets out, wherever they stand (pretty: %s)", (pretty) => {
    const text = written((log) => {
      log.info({ password: "s3cret" }, "a");
      log.info({ config: { apiKey: "s3cret", databaseUrl: "s3cret" } }, "b");
      log.info({ request: { headers: { authorization: "Bearer s3cret" } } }, "c");
      log.child({ token: "s3cret" }).info("d");
    }, pretty);
    expect(text).not.toContain("s3cret");
    expect(text.trimEnd().split("\n")).toHaveLength(4);
  });

  test("reads as words in a terminal, with an error's stack below", () => {
    const text = written((log) => {
      log.info({ port: 8080, path: "/x", list: [1] }, "listening");
      log.error({ err: new Error("broken") }, "failed");
    }, true);
    const [first, second, third] = text.split("\n");
    expect(first).toMatch(/^\d\d:\d\d:\d\d INFO {2}listening port=8080 path=\/x list=\[1\]$/);
    expect(second).toMatch(/ERROR failed$/);
    expect(third).toBe("Error: broken");
  });
});
