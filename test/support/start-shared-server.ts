/** Starts the server that test files share (`shared-server.ts`), once, before the first of them. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { TokenIssuer } from "./issuer.ts";
import { removeHomes, TestServer } from "./server.ts";
import type {} from "./shared-server.ts";

export default async function share(project: TestProject): Promise<() => Promise<void>> {
  const issuer = await TokenIssuer.start();
  const files = await mkdtemp(join(tmpdir(), "distillery-files-"));
  const server = await TestServer.start({
    workers: 3,
    env: {
      ...issuer.environment,
      DISTILLERY_FILE_ROOTS: files,
      DISTILLERY_ALLOW_PRIVATE_NETWORK: "1",
    },
  });
  project.provide("sharedServer", { baseUrl: server.baseUrl, signer: issuer.signer, files });
  return async () => {
    await Promise.all([server.stop(), issuer.stop()]);
    await removeHomes();
    await rm(files, { recursive: true, force: true });
  };
}
