/**
 * One server that test files share, each as an organization of its own: starting a server, and loading
 * what trains and predicts into its threads, takes several times as long as what most files ask of it.
 * What ends a server, waits for all of its work or needs settings of its own starts a `TestServer`.
 */

import { randomUUID } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { signedToken, type TokenSigner } from "./issuer.ts";
import { recordRequests } from "./request-log.ts";
import { ServerUser } from "./server.ts";

interface Shared {
  readonly baseUrl: string;
  readonly signer: TokenSigner;
  /** Below it `file:` connectors may read. */
  readonly files: string;
}

declare module "vitest" {
  interface ProvidedContext {
    sharedServer: Shared;
  }
}

export class SharedServer extends ServerUser {
  /** Its name. */
  readonly organization: string;
  readonly #shared: Shared;

  private constructor(shared: Shared, organization: string) {
    super(shared.baseUrl, signedToken(shared.signer, organization));
    this.#shared = shared;
    this.organization = organization;
  }

  /** As an organization that has nothing yet. */
  static async join(): Promise<SharedServer> {
    const shared = inject("sharedServer");
    await recordRequests(shared.baseUrl);
    return new SharedServer(shared, randomUUID());
  }

  /** The token of another organization, which no other file knows. */
  token(organization: string): string {
    return signedToken(this.#shared.signer, `${organization}-beside-${this.organization}`);
  }

  /** A new folder that `file:` connectors may read. Goes with the server. */
  folder(): Promise<string> {
    return mkdtemp(join(this.#shared.files, "folder-"));
  }
}
