/** The way to the OpenID Connect issuer, where the service trusts one. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ask } from "../api/client.ts";
import { Button } from "../ui/button.tsx";

interface Methods {
  readonly openid_connect: { readonly host: string } | null;
}

/** The longest that the service takes, in characters. */
const LONGEST_VIEW = 1024;

/** Null where people do not sign in so, or while nobody knows: the other ways are open meanwhile. */
export function useIssuerHost(): string | null {
  const { data } = useQuery({
    queryKey: ["session", "methods"],
    queryFn: () => ask<Methods>("/v1/session/methods"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.openid_connect?.host ?? null;
}

interface ByIssuerProps {
  readonly host: string;
  /** The view that was asked for, below the console's own path. */
  readonly returnTo: string | null;
  /** Told null before it is tried. */
  readonly onFailed: (error: unknown) => void;
}

export function ByIssuer({ host, returnTo, onFailed }: ByIssuerProps) {
  const [busy, setBusy] = useState(false);
  const go = async (): Promise<void> => {
    onFailed(null);
    setBusy(true);
    const view =
      returnTo !== null && returnTo.length <= LONGEST_VIEW ? { return_to: returnTo } : {};
    try {
      const way = await ask<{ readonly authorization_url: string }>("/v1/session/authorization", {
        method: "POST",
        body: view,
      });
      globalThis.location.assign(way.authorization_url);
    } catch (error) {
      onFailed(error);
      setBusy(false);
    }
  };
  return (
    <Button look="main" busy={busy} onClick={() => void go()}>
      Sign in with {host}
    </Button>
  );
}
