/** A demo on a server of its own with an empty home, which is left running for whoever looks on. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { connect } from "./api.ts";
import { JobEnded } from "./job-ended.ts";
import { consoleLink, startServer } from "./server.ts";

export interface DemoOptions {
  /** Of the home's folder. */
  readonly name: string;
  readonly port: string;
  /** Ends the server when all is shown. */
  readonly exit: boolean;
}

/** What somebody who has seen the demo can do next. */
export interface NextStep {
  readonly does: string;
  /** Of a request, without what all of them share. */
  readonly request: readonly string[];
}

export async function onServer(
  { name, port, exit }: DemoOptions,
  show: (api: ReturnType<typeof connect>) => Promise<readonly NextStep[]>,
): Promise<void> {
  const key = `demo_${randomBytes(18).toString("base64url")}`;
  const started = new Date().toISOString().replaceAll(/[^0-9]/g, "");
  const home = join(".distillery", `${name}-${started.slice(0, 14)}`);
  const server = await startServer({ port, key, home });
  if (!exit) {
    console.log(
      `\nWatch it in a browser: ${await consoleLink(home)}   (once, within 15 minutes)\n`,
    );
  }
  let steps: readonly NextStep[] = [];
  try {
    steps = await show(connect(server.baseUrl, key));
  } catch (error) {
    const interrupted = server.stopping;
    if (error instanceof JobEnded && !interrupted) {
      process.exitCode = 1;
      console.log(`\n${error.message} The demo has nothing more to show.`);
    } else {
      await server.stop();
      if (interrupted) process.exit(130);
      throw error;
    }
  }
  if (exit) {
    console.log(`
The server ends now; its data stays in ${home}. To go on with it:

  npx -y pnpm@12 start --home ${home}

  API key   ${key}`);
    await server.stop();
  } else {
    console.log(`
The server is still running, with its data in ${home}:

  API       ${server.baseUrl}/v1
  Docs      ${server.baseUrl}/docs
  API key   ${key}
`);
    if (steps.length > 0) console.log("What next, in another terminal:\n");
    for (const { does, request } of steps) {
      const words = [`-H "Authorization: Bearer ${key}"`, ...request.slice(1)];
      console.log(
        `# ${does}\ncurl -s ${server.baseUrl}${request[0]} \\\n  ${words.join(" \\\n  ")}\n`,
      );
    }
    console.log(`Open the console: ${await consoleLink(home)}   (once, within 15 minutes)

Ctrl-C stops it.`);
    await server.exited;
  }
}
