/** A real token issuer on a port of its own: discovery, a key set, and signed access tokens. */

import { createPrivateKey, generateKeyPairSync, type JsonWebKey, sign } from "node:crypto";
import { createServer, type Server } from "node:http";

export const AUDIENCE = "distillery";
/** Longer than a run of all tests takes on a busy machine. */
const TOKEN_SECONDS = 4 * 3600;

/** What signs an issuer's tokens, in whatever process. */
export interface TokenSigner {
  readonly url: string;
  readonly privateKey: JsonWebKey;
}

/** A JWT of the issuer: the claims are as they are given, beside `iss`, and `iat` and `exp` of now. */
export function signedClaims({ url, privateKey }: TokenSigner, claims: object): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const text = `${encode({ alg: "ES256", kid: "one" })}.${encode({
    iss: url,
    iat: now,
    exp: now + TOKEN_SECONDS,
    ...claims,
  })}`;
  const signature = sign("sha256", Buffer.from(text), {
    key: createPrivateKey({ key: privateKey, format: "jwk" }),
    dsaEncoding: "ieee-p1363",
  });
  return `${text}.${signature.toString("base64url")}`;
}

/** A token of a person of the organization who may do everything. */
export const signedToken = (signer: TokenSigner, organization: string): string =>
  signedClaims(signer, {
    aud: AUDIENCE,
    sub: `person of ${organization}`,
    organization,
    scope: "*",
  });

export class TokenIssuer {
  readonly #server: Server;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  #url = "";

  private constructor() {
    this.#server = createServer((request, response) => {
      const jwk = { ...this.#keys.publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256" };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify(
          request.url === "/jwks"
            ? { keys: [jwk] }
            : { issuer: this.#url, jwks_uri: `${this.#url}/jwks` },
        ),
      );
    });
  }

  static async start(): Promise<TokenIssuer> {
    const issuer = new TokenIssuer();
    await new Promise<void>((resolve) => issuer.#server.listen(0, "127.0.0.1", resolve));
    const address = issuer.#server.address();
    issuer.#url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    return issuer;
  }

  /** What a server that trusts this issuer is started with. */
  get environment(): Record<string, string> {
    return { OIDC_ISSUER: this.#url, OIDC_AUDIENCE: AUDIENCE };
  }

  get signer(): TokenSigner {
    return { url: this.#url, privateKey: this.#keys.privateKey.export({ format: "jwk" }) };
  }

  /** A token of a person of the organization who may do everything. */
  token(organization: string): string {
    return signedToken(this.signer, organization);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
