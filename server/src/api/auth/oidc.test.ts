import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Problem } from "../../platform/input/problem.ts";
import { GuardedOutbound } from "../../platform/net/guarded-outbound.ts";
import { issuerFetch, OidcVerifier } from "./oidc.ts";

/** A real issuer on a port of its own: discovery, a key set, and tokens. */
let server: Server;
let issuer: string;
let up = true;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let stranger: Awaited<ReturnType<typeof generateKeyPair>>;
let fetches = 0;

beforeAll(async () => {
  keys = await generateKeyPair("ES256", { extractable: true });
  stranger = await generateKeyPair("ES256", { extractable: true });
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "one", alg: "ES256", use: "sig" };
  server = createServer((request, response) => {
    fetches++;
    if (!up) {
      response.writeHead(500).end();
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify(
        request.url === "/jwks"
          ? { keys: [jwk] }
          : { issuer, jwks_uri: `${issuer}/jwks`, authorization_endpoint: "x" },
      ),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
afterAll(async () => {
  await outbound.close();
  await new Promise((resolve) => server.close(resolve));
});

const verifier = () =>
  new OidcVerifier(
    { issuer, audience: "distillery", organizationClaim: "org" },
    issuerFetch(outbound),
  );

const claims = { org: "acme", scope: "openid datasets:read models:write nonsense", sub: "user-1" };

interface Signing {
  readonly key?: CryptoKey;
  readonly audience?: string;
  readonly issuer?: string;
  readonly expires?: number;
}
const sign = (payload: JWTPayload, signing: Signing = {}) =>
  new SignJWT(payload)
    .setProtectedHeader({ alg: "ES256", kid: "one" })
    .setIssuer(signing.issuer ?? issuer)
    .setAudience(signing.audience ?? "distillery")
    .setExpirationTime(signing.expires ?? Math.floor(Date.now() / 1000) + 600)
    .sign(signing.key ?? keys.privateKey);

async function refusal(token: string, by = verifier()): Promise<number> {
  try {
    await by.verify(token);
  } catch (error) {
    if (error instanceof Problem) return error.status;
    throw error;
  }
  throw new Error("it was taken");
}

describe("access tokens", () => {
  it("give subject, organization and the scopes that are ours", async () => {
    const by = verifier();
    const identity = await by.verify(await sign(claims));
    expect(identity).toEqual({
      subject: "user-1",
      organization: "acme",
      scopes: new Set(["datasets:read", "models:write"]),
    });
    const asked = fetches;
    await by.verify(await sign({ ...claims, scope: undefined, permissions: ["*"], org: ["acme"] }));
    expect(fetches).toBe(asked);
  });

  it("are refused from another key, issuer or audience, when expired, unsigned or without claims", async () => {
    const past = Math.floor(Date.now() / 1000) - 60;
    const none = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
    const payload = { ...claims, iss: issuer, aud: "distillery", exp: past + 900 };
    const symmetric = new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", kid: "one" })
      .setIssuer(issuer)
      .setAudience("distillery")
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode("a secret of thirty-two bytes....."));
    const { sub: _sub, ...anonymous } = claims;
    const { org: _org, ...homeless } = claims;
    const bad: Record<string, string> = {
      stranger: await sign(claims, { key: stranger.privateKey }),
      audience: await sign(claims, { audience: "other" }),
      issuer: await sign(claims, { issuer: "https://elsewhere.example" }),
      expired: await sign(claims, { expires: past }),
      unsigned: `${none({ alg: "none" })}.${none(payload)}.`,
      symmetric: await symmetric,
      anonymous: await sign(anonymous),
      nameless: await sign({ ...claims, sub: "" }),
      unstorable: await sign({ ...claims, sub: "a\u0000b" }),
      endless: await sign({ ...claims, sub: "a".repeat(1025) }),
      homeless: await sign(homeless),
      oddOrganization: await sign({ ...claims, org: { id: 1 } }),
      twoOrganizations: await sign({ ...claims, org: ["a", "b"] }),
      garbage: "a.b.c",
    };
    for (const [name, token] of Object.entries(bad)) {
      expect([name, await refusal(token)]).toEqual([name, 401]);
    }
  });

  it("cannot be judged while the issuer is away: 503, not 401", async () => {
    up = false;
    try {
      expect(await refusal(await sign(claims))).toBe(503);
    } finally {
      up = true;
    }
  });
});
