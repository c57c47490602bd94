import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Child } from "../../../testing/child.ts";

let child: Child;
let port: number;

beforeAll(async () => {
  child = new Child("./throwing-service.ts", []);
  port = Number((await child.line(/^port \d/)).slice("port ".length));
});
afterAll(() => child.kill("SIGKILL"));

/** The body comes after the head, in pieces of its own, as an upload does. */
async function post(path: string): Promise<string> {
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let answer = "";
  socket.on("data", (text: string) => {
    answer += text;
  });
  // The answer may come, and the connection go, before the second piece is written.
  socket.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "ECONNRESET") throw error;
  });
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 20\r\n\r\n`,
  );
  for (let piece = 0; piece < 2; piece++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (socket.writable) socket.write("0123456789");
  }
  await closed;
  return answer;
}

describe("an error that nothing caught", () => {
  it.each(["timer", "rejection", "listener", "emitter"])(
    "of a request's %s fails the request alone",
    async (name) => {
      const answer = await post(`/v1/${name}`);
      expect(answer).toMatch(/^HTTP\/1\.1 500 /);
      expect(answer).toContain("urn:distillery:problem:internal");
      expect((await fetch(`http://127.0.0.1:${port}/openapi.json`)).status).toBe(200);
    },
  );

  it("of no request ends the process, with a logged error", async () => {
    expect(await child.kill("SIGUSR2")).toBe(1);
    expect(child.errors + child.lines.join("\n")).toContain("of nobody");
  });
});
