/**
 * An OpenID Connect issuer at which people sign in, on a port of its own: discovery, keys, and a token endpoint
 * that takes each code once, from the client with its secret, for the redirect URI and the verifier of PKCE that
 * it was asked for with. What a person would do on its pages is a call, or done by its page at once.
 */
import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { AUDIENCE, signedClaims } from "./issuer.ts";

const CLIENT = { id: "the console", secret: "a secret: of the client" };

interface Granted {
  readonly asked: URLSearchParams;
  readonly idClaims: object;
  readonly accessToken: string;
}

/** What the issuer says of who signs in. */
export interface Person {
  /** Of the ID token, beside those that the flow asks for, which they may replace. */
  readonly idClaims?: object;
  /** Of an access token for the service; left out = one that only the issuer understands. */
  readonly accessClaims?: object;
}

export class SignInIssuer {
  readonly #server: Server;
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #codes = new Map<string, Granted>();
  #url = "";
  /** Answers with 503, or with what no issuer says, to whatever it is asked. */
  fault: "down" | "odd" | null = null;
  /** Whom its page signs in; null = the page turns everybody away. */
  visitor: Person | null = null;
  /** What it takes as the client's secret. */
  secret = CLIENT.secret;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.writeHead(500).end());
    });
  }

  static async start(): Promise<SignInIssuer> {
    const issuer = new SignInIssuer();
    await new Promise<void>((resolve) => issuer.#server.listen(0, "127.0.0.1", resolve));
    const address = issuer.#server.address();
    issuer.#url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
    return issuer;
  }

  get host(): string {
    return new URL(this.#url).host;
  }

  /** What a server at which people sign in by this issuer is started with. */
  get environment(): Record<string, string> {
    return {
      OIDC_ISSUER: this.#url,
      OIDC_AUDIENCE: AUDIENCE,
      OIDC_CLIENT_ID: CLIENT.id,
      OIDC_CLIENT_SECRET: CLIENT.secret,
      OIDC_SCOPES: "openid profile",
    };
  }

  /** @returns the query with which it sends the browser back */
  signIn(authorizationUrl: string, { idClaims = {}, accessClaims }: Person = {}): string {
    const url = new URL(authorizationUrl);
    const asked = url.searchParams;
    if (url.origin + url.pathname !== `${this.#url}/authorize`) throw new Error("elsewhere");
    for (const [name, value] of [
      ["client_id", CLIENT.id],
      ["response_type", "code"],
      ["scope", "openid profile"],
      ["code_challenge_method", "S256"],
    ] as const) {
      if (asked.get(name) !== value) throw new Error(`${name} is ${asked.get(name)}`);
    }
    const code = randomUUID();
    const accessToken =
      accessClaims === undefined ? randomUUID() : this.#signed({ aud: AUDIENCE, ...accessClaims });
    this.#codes.set(code, { asked, idClaims, accessToken });
    return `${new URLSearchParams({ code, state: asked.get("state") ?? "" })}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #signed(claims: object): string {
    const privateKey = this.#keys.privateKey.export({ format: "jwk" });
    return signedClaims({ url: this.#url, privateKey }, claims);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = (status: number, answer: object): void => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    };
    if (this.fault !== null) send(this.fault === "down" ? 503 : 200, {});
    else if (request.url === "/jwks") {
      send(200, { keys: [{ ...this.#keys.publicKey.export({ format: "jwk" }), kid: "one" }] });
    } else if (request.url?.startsWith("/authorize?")) {
      response.writeHead(302, { location: this.#wayBack(new URL(request.url, this.#url)) }).end();
    } else if (request.url?.startsWith("/leave?")) {
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Left</title><h1>You have left</h1>");
    } else if (request.url === "/token") {
      const answer = this.#redeem(request, new URLSearchParams(await text(request)));
      send("error" in answer ? 400 : 200, answer);
    } else {
      send(200, {
        issuer: this.#url,
        jwks_uri: `${this.#url}/jwks`,
        authorization_endpoint: `${this.#url}/authorize`,
        token_endpoint: `${this.#url}/token`,
        end_session_endpoint: `${this.#url}/leave`,
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
      });
    }
  }

  #wayBack(url: URL): string {
    const asked = url.searchParams;
    const query =
      this.visitor === null
        ? new URLSearchParams({ error: "access_denied", state: asked.get("state") ?? "" })
        : this.signIn(url.href, this.visitor);
    return `${asked.get("redirect_uri")}?${query}`;
  }

  #redeem({ headers }: IncomingMessage, form: URLSearchParams): object {
    // RFC 6749 §2.3.1: both are form-encoded first.
    const encoded = [CLIENT.id, this.secret].map((part) =>
      new URLSearchParams({ a: part }).toString().slice(2),
    );
    const basic = `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`;
    const sent = decodeURIComponent(
      Buffer.from(headers.authorization?.slice(6) ?? "", "base64").toString(),
    );
    if (headers.authorization !== basic && sent !== `${CLIENT.id}:${this.secret}`) {
      return { error: "invalid_client" };
    }
    const code = form.get("code") ?? "";
    const granted = this.#codes.get(code);
    this.#codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (
      granted?.asked.get("code_challenge") !== challenge ||
      granted.asked.get("redirect_uri") !== form.get("redirect_uri")
    ) {
      return { error: "invalid_grant" };
    }
    const { asked, idClaims, accessToken } = granted;
    const half = createHash("sha256").update(accessToken).digest().subarray(0, 16);
    const id_token = this.#signed({
      aud: CLIENT.id,
      nonce: asked.get("nonce"),
      at_hash: half.toString("base64url"),
      ...idClaims,
    });
    return { token_type: "Bearer", access_token: accessToken, id_token };
  }
}
