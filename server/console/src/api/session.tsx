/** Who is signed in: the session's own record, asked for at the first visit and after each refusal. */

import { ServiceError } from "@distillery/client";
import { type Query, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { ask, keepCsrfToken, whenSignedOut } from "./client.ts";

export interface Session {
  readonly organization_id: string;
  readonly scopes: readonly string[];
  /** Of the API key that it came from; null where a person signed in at the issuer. */
  readonly key_id: string | null;
  /** Of the person at the issuer; null for an API key. */
  readonly subject: string | null;
  readonly expires_at: string;
  readonly csrf_token: string;
}

/** By a link that opens once, by an API key, or by what the issuer sent the browser back with. */
export type SignInWith =
  | { readonly one_time_token: string }
  | { readonly api_key: string }
  | { readonly authorization_response: string };

interface SessionState {
  /** Undefined while it is asked for; null where nobody is signed in. */
  readonly session: Session | null | undefined;
  /** Whether it ended because the service refused it, and nobody has signed in since. */
  readonly wasRefused: boolean;
  /** Why it could not be asked for. */
  readonly error: Error | null;
  /**
   * @returns the view that was asked for before the browser went to the issuer, where it did
   * @throws {ServiceError} where the link, the key or the answer opens nothing
   */
  readonly signIn: (by: SignInWith) => Promise<string | null>;
  readonly signOut: () => Promise<void>;
  /** Where the person who signed out here may sign out of the issuer as well. */
  readonly issuerSignOutUrl: string | null;
  /** Where the session was ended by other means. */
  readonly signedOut: () => void;
}

const SessionContext = createContext<SessionState | null>(null);
const KEY = ["session"];
const isOfOthers = { predicate: ({ queryKey }: Query) => queryKey[0] !== KEY[0] };

/** The browser's other tabs have the same cookie: what one does to the session is so in all of them. */
const tabs = new BroadcastChannel("distillery.session");
const BEGAN = "began";
const ENDED = "ended";

/** That this browser has had a session; who never had one is not asked for, and refused, each time. */
const MARK = "distillery.has-signed-in";

/** Whose session it is. */
export const ownerOf = ({ organization_id, key_id, subject, scopes }: Session): string =>
  JSON.stringify([organization_id, key_id, subject, scopes]);

async function currentSession(): Promise<Session | null> {
  try {
    return await ask<Session>("/v1/session");
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return null;
    throw error;
  }
}

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const { data, error } = useQuery({
    queryKey: KEY,
    queryFn: currentSession,
    ...(localStorage.getItem(MARK) === null ? { initialData: null } : {}),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [issuerSignOutUrl, setIssuerSignOutUrl] = useState<string | null>(null);
  const [wasRefused, setWasRefused] = useState(false);
  /** Of the last session, unless somebody signed out of it. */
  const lastOwner = useRef<string | null>(null);
  useEffect(() => {
    if (data) lastOwner.current = ownerOf(data);
  }, [data]);
  keepCsrfToken(data?.csrf_token ?? null);
  useEffect(
    () =>
      whenSignedOut(() => {
        setWasRefused(true);
        queries.setQueryData(KEY, null);
      }),
    [queries],
  );
  const forget = useCallback(() => {
    setWasRefused(false);
    lastOwner.current = null;
    // The session's own entry stays, which the page looks at.
    queries.removeQueries(isOfOthers);
    queries.setQueryData(KEY, null);
  }, [queries]);
  useEffect(() => {
    const follow = ({ data: what }: MessageEvent<unknown>): void => {
      if (what === ENDED) {
        forget();
        return;
      }
      queries.removeQueries({ ...isOfOthers, type: "inactive" });
      void queries.invalidateQueries();
    };
    tabs.addEventListener("message", follow);
    return () => tabs.removeEventListener("message", follow);
  }, [queries, forget]);
  const signIn = useCallback(
    async (by: SignInWith) => {
      const { return_to: view, ...session } = await ask<
        Session & { readonly return_to: string | null }
      >("/v1/session", { method: "POST", body: by });
      // What was asked by the session before is not answered over this one.
      await queries.cancelQueries({ queryKey: KEY });
      // What another principal saw is not this one's.
      if (ownerOf(session) === lastOwner.current) void queries.invalidateQueries(isOfOthers);
      else queries.removeQueries(isOfOthers);
      keepCsrfToken(session.csrf_token);
      localStorage.setItem(MARK, "1");
      queries.setQueryData(KEY, session);
      setWasRefused(false);
      setIssuerSignOutUrl(null);
      tabs.postMessage(BEGAN);
      return view;
    },
    [queries],
  );
  const signedOut = useCallback(() => {
    localStorage.removeItem(MARK);
    forget();
    tabs.postMessage(ENDED);
  }, [forget]);
  const signOut = useCallback(async () => {
    const ended = await ask<{ readonly issuer_sign_out_url: string | null }>("/v1/session", {
      method: "DELETE",
    });
    setIssuerSignOutUrl(ended.issuer_sign_out_url);
    signedOut();
  }, [signedOut]);
  const state = useMemo(
    () => ({ session: data, wasRefused, error, signIn, signOut, signedOut, issuerSignOutUrl }),
    [data, wasRefused, error, signIn, signOut, signedOut, issuerSignOutUrl],
  );
  return <SessionContext value={state}>{children}</SessionContext>;
}

export function useSession(): SessionState {
  const state = useContext(SessionContext);
  if (state === null) throw new Error("useSession is called outside of SessionProvider");
  return state;
}

/** Whether the session may do this, such as `models:write`; to write includes to read. */
export function useScope(scope: string): boolean {
  const { session } = useSession();
  const granted = session?.scopes ?? [];
  return (
    granted.includes("*") ||
    granted.includes(scope) ||
    granted.includes(scope.replace(/:read$/, ":write"))
  );
}
