/**
 * Signing in at an OpenID Connect issuer: the authorization code flow (OpenID Connect Core 1.0 §3.1) with
 * PKCE (RFC 7636), as the client that is registered there. The protocol is `openid-client`'s; the ID token's
 * signature is checked beside it, by the keys and algorithms that access tokens are checked by.
 */
import type { ClientAuth, Configuration } from "openid-client";
import { Problem } from "../../../platform/input/problem.ts";
import { type FetchLike, looksLikeJwt, type OidcVerifier, type SignedInIdentity } from "../oidc.ts";
import type { BegunSignIn } from "./browser-binding.ts";
import { asSignInProblem, reasonOf } from "./faults.ts";

type Library = typeof import("openid-client");

interface IssuerClientSettings {
  readonly issuer: string;
  readonly id: string;
  readonly secret?: string;
  readonly scope: string;
  readonly organizationClaim: string;
  /** Told why a sign-in failed, for whoever runs the service: the person is told in other words. */
  readonly onFailed: (reason: string) => void;
}

interface Discovered {
  readonly library: Library;
  readonly configuration: Configuration;
}

const TIMEOUT_S = 10;
/** What an issuer says of itself is asked again after this long. */
const FRESH_MS = 3_600_000;

export class IssuerClient {
  readonly #settings: IssuerClientSettings;
  readonly #verifier: OidcVerifier;
  readonly #fetch: FetchLike;
  #discovered: { readonly at: number; readonly what: Promise<Discovered> } | null = null;

  constructor(settings: IssuerClientSettings, verifier: OidcVerifier, fetch: FetchLike) {
    this.#settings = settings;
    this.#verifier = verifier;
    this.#fetch = fetch;
  }

  get issuer(): string {
    return this.#settings.issuer;
  }

  get id(): string {
    return this.#settings.id;
  }

  get organizationClaim(): string {
    return this.#settings.organizationClaim;
  }

  /** As people know the issuer. */
  get host(): string {
    return new URL(this.#settings.issuer).host;
  }

  /**
   * Where the browser goes to sign in.
   *
   * @throws Problem 502 or 503 where the issuer does not say where that is
   */
  async authorizationUrl(begun: BegunSignIn, redirectUri: string): Promise<string> {
    return await this.#asking(async ({ library, configuration }) => {
      const { state, nonce, codeVerifier } = begun;
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: this.#settings.scope,
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      });
      return url.href;
    });
  }

  /**
   * Who signed in, and what the person may do: as the access token says it where that is one for this
   * service, else as the ID token says it.
   *
   * @param answer the query with which the issuer sent the browser back
   * @throws Problem 401 where nobody signed in, 502 or 503 where the issuer failed
   */
  async identityOf(
    answer: URLSearchParams,
    begun: BegunSignIn,
    redirectUri: string,
  ): Promise<SignedInIdentity> {
    return await this.#asking(async ({ library, configuration }) => {
      const { state, nonce, codeVerifier } = begun;
      const url = new URL(redirectUri);
      url.search = answer.toString();
      const tokens = await library.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const { access_token: accessToken, id_token: idToken = "" } = tokens;
      const use = { clientId: this.#settings.id, nonce, accessToken };
      const person = await this.#verifier.verifyIdToken(idToken, use);
      return (await this.#byAccessToken(accessToken, person.subject)) ?? person;
    });
  }

  /** Where the person signs out of the issuer as well; null where it does not say. */
  async signOutUrl(returnUrl: string): Promise<string | null> {
    return await this.#asking(({ library, configuration }) => {
      const { end_session_endpoint } = configuration.serverMetadata();
      if (end_session_endpoint === undefined) return null;
      return library.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnUrl })
        .href;
    });
  }

  /** Null where it is no token for this service, or of somebody else. */
  async #byAccessToken(token: string, subject: string): Promise<SignedInIdentity | null> {
    if (!looksLikeJwt(token)) return null;
    try {
      const identity = await this.#verifier.verify(token);
      return identity.subject === subject ? identity : null;
    } catch (error) {
      if (error instanceof Problem && error.kind === "unauthenticated") return null;
      throw error;
    }
  }

  async #asking<Answer>(ask: (issuer: Discovered) => Answer | Promise<Answer>): Promise<Answer> {
    try {
      return await ask(await this.#discover());
    } catch (error) {
      this.#settings.onFailed(reasonOf(error));
      throw await asSignInProblem(error, this.host);
    }
  }

  #discover(): Promise<Discovered> {
    const known = this.#discovered;
    if (known !== null && performance.now() - known.at < FRESH_MS) return known.what;
    const discovered = { at: performance.now(), what: this.#discoverNow() };
    this.#discovered = discovered;
    discovered.what.catch(() => {
      if (this.#discovered === discovered) this.#discovered = null;
    });
    return discovered.what;
  }

  async #discoverNow(): Promise<Discovered> {
    const library = await import("openid-client");
    const { issuer, id, secret } = this.#settings;
    const configuration = await library.discovery(
      new URL(issuer),
      id,
      undefined,
      authenticationOf(library, secret),
      {
        [library.customFetch]: (url, { method, headers, body, signal }) =>
          this.#fetch(url, {
            method,
            headers,
            ...(body !== undefined && body !== null && { body: String(body) }),
            ...(signal !== undefined && { signal }),
          }),
        // An operator may trust an issuer in the same network, as access tokens are taken of it.
        execute: issuer.startsWith("http:") ? [library.allowInsecureRequests] : [],
        timeout: TIMEOUT_S,
      },
    );
    return { library, configuration };
  }
}

/** How the client proves itself: in the header, unless the issuer takes the body alone (RFC 6749 §2.3.1). */
function authenticationOf(library: Library, secret: string | undefined): ClientAuth {
  if (secret === undefined) return library.None();
  const byHeader = library.ClientSecretBasic(secret);
  const byBody = library.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const taken = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isBody = !taken.includes("client_secret_basic") && taken.includes("client_secret_post");
    (isBody ? byBody : byHeader)(server, client, body, headers);
  };
}
