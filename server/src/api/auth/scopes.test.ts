import { describe, expect, it } from "vitest";
import { allows, GRANTS, isGrant } from "../context/scopes.ts";
import { AttemptLimiter } from "./attempt-limiter.ts";
import { KeyCache, LEASE_MS } from "./key-cache.ts";

describe("scopes", () => {
  it("hold what they say, write includes read, and areas are apart", () => {
    const granted = new Set(["datasets:write", "models:read"]);
    const allowed = [...GRANTS, "any"].filter((need) => allows(granted, need));
    expect(allowed).toEqual(["datasets:read", "datasets:write", "models:read", "any"]);
    expect(GRANTS.every((need) => allows(new Set(["*"]), need))).toBe(true);
    expect(allows(new Set(), "any")).toBe(true);
    expect(allows(new Set(["datasets:read"]), "*")).toBe(false);
    expect([isGrant("models:read"), isGrant("models:delete"), isGrant("any")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("the attempt limiter", () => {
  it("lets a burst through, then a steady rate, each address by itself", () => {
    let now = 0;
    const limiter = new AttemptLimiter({ burst: 3, perSecond: 0.5 }, () => now);
    for (let attempt = 0; attempt < 3; attempt++) expect(limiter.fail("a")).toBe(0);
    expect(limiter.fail("a")).toBe(2);
    expect(limiter.fail("b")).toBe(0);
    now += 1_000;
    expect(limiter.fail("a")).toBe(1);
    now += 1_000;
    expect(limiter.fail("a")).toBe(0);
    expect(limiter.fail("a")).toBe(2);
    now += 3_600_000;
    for (let attempt = 0; attempt < 3; attempt++) expect(limiter.fail("a")).toBe(0);
    expect(limiter.fail("a")).toBe(2);
  });
});

describe("the key cache", () => {
  const principal = {
    organizationId: "o",
    kind: "api_key" as const,
    subject: "k",
    keyId: "k",
    scopes: new Set<string>(),
  };

  it("remembers for a while, never past the key's own end, and only while it hears of revocations", () => {
    let now = 1_000_000;
    const cache = new KeyCache(
      () => now,
      () => 0,
    );
    cache.heard(0);
    cache.remember("h", principal, null, cache.generation);
    expect(cache.get("h")).toBeNull();
    cache.reset(true);
    cache.remember("h", principal, null, cache.generation);
    cache.remember("short", principal, new Date(now + 500), cache.generation);
    expect([cache.get("h"), cache.get("short")]).toEqual([principal, principal]);
    now += 500;
    expect([cache.get("h"), cache.get("short")]).toEqual([principal, null]);
    now += 30_000;
    expect(cache.get("h")).toBeNull();
    cache.remember("h", principal, null, cache.generation);
    cache.reset(false);
    expect(cache.get("h")).toBeNull();
  });

  it("tells nothing of what it remembers once its channel was not heard to work for the lease", () => {
    let elapsed = 0;
    const cache = new KeyCache(Date.now, () => elapsed);
    cache.reset(true);
    cache.remember("h", principal, null, cache.generation);
    expect(cache.get("h")).toBeNull();
    cache.heard(0);
    elapsed = LEASE_MS;
    expect(cache.get("h")).toBe(principal);
    elapsed = LEASE_MS + 1;
    expect(cache.get("h")).toBeNull();
    cache.heard(elapsed);
    expect(cache.get("h")).toBe(principal);
  });

  it("does not remember what was looked up before a revocation", () => {
    const cache = new KeyCache(Date.now, () => 0);
    cache.heard(0);
    cache.reset(true);
    const before = cache.generation;
    cache.forget("h");
    cache.remember("h", principal, null, before);
    expect(cache.get("h")).toBeNull();
    cache.remember("h", principal, null, cache.generation);
    expect(cache.get("h")).toBe(principal);
  });
});
