/** The issuer that the operator trusts, as this process reaches it: its tokens, and signing in there. */

import { GuardedOutbound } from "../../../platform/net/guarded-outbound.ts";
import type { Services } from "../../services.ts";
import { issuerFetch, OidcVerifier } from "../oidc.ts";
import { IssuerClient } from "./issuer-client.ts";

interface TrustedIssuerAccess {
  readonly verifier: OidcVerifier;
  /** Null where people do not sign in by it. */
  readonly client: IssuerClient | null;
  close(): Promise<void>;
}

const instances = new WeakMap<Services, TrustedIssuerAccess>();

/** Null where no issuer is trusted. */
export function issuerOf(services: Services): TrustedIssuerAccess | null {
  const { oidc } = services.config;
  if (oidc === undefined) return null;
  let access = instances.get(services);
  if (access === undefined) {
    // The issuer is the operator's own choice, and often lives in the operator's own network.
    const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
    const fetch = issuerFetch(outbound);
    const verifier = new OidcVerifier(oidc, fetch);
    const { issuer, organizationClaim, client } = oidc;
    const onFailed = (reason: string): void => {
      services.log.warn({ issuer, reason }, "a sign-in at the issuer failed");
    };
    access = {
      verifier,
      client:
        client === undefined
          ? null
          : new IssuerClient({ issuer, organizationClaim, onFailed, ...client }, verifier, fetch),
      close: () => outbound.close(),
    };
    instances.set(services, access);
  }
  return access;
}
