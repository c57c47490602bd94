/** The way in: by the issuer where there is one, by the one-time link of the terminal, or by an API key. */

import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { type SignInWith, useSession } from "../api/session.tsx";
import { Button } from "../ui/button.tsx";
import { Field, faultAt } from "../ui/field.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNote } from "../ui/problem.tsx";
import { ByIssuer, useIssuerHost } from "./sign-in-by-issuer.tsx";

const LINK_PATH = "/sign-in";
/** Where the issuer sends browsers back to. */
export const RETURN_PATH = "/sign-in/return";

export function SignIn() {
  const { signIn, issuerSignOutUrl } = useSession();
  const host = useIssuerHost();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [proof] = useState((): SignInWith | null => {
    if (pathname === LINK_PATH && hash.length > 1) return { one_time_token: hash.slice(1) };
    if (pathname === RETURN_PATH && search.length > 1)
      return { authorization_response: search.slice(1) };
    return null;
  });
  const tried = useRef(false);
  const isView = pathname !== LINK_PATH && pathname !== RETURN_PATH;
  const view = isView ? pathname + search : "/";
  const enter = (by: SignInWith): void => {
    setBusy(true);
    setError(null);
    signIn(by)
      // Who was on the way to a view gets there.
      .then((asked) => navigate(asked ?? view, { replace: true }))
      .catch(setError)
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    if (proof === null || tried.current) return;
    tried.current = true;
    // It opens once; in the address bar and the history it is of no more use.
    navigate(pathname, { replace: true });
    enter(proof);
  });
  useEffect(() => {
    document.title = "Sign in · Distillery";
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get("api_key");
    if (typeof key === "string" && key.trim() !== "") enter({ api_key: key.trim() });
  };
  if (proof !== null && error === null) return <Loading label="Signing in" />;
  return (
    <main className="sign-in">
      <h1>Sign in to Distillery</h1>
      {error !== null && <ProblemNote error={error} />}
      {issuerSignOutUrl !== null && (
        <p role="status">
          You are signed out here.{" "}
          <a href={issuerSignOutUrl}>Sign out of {new URL(issuerSignOutUrl).host} as well</a>.
        </p>
      )}
      {host !== null && (
        <ByIssuer host={host} returnTo={isView ? view : null} onFailed={setError} />
      )}
      <p>
        {host === null ? "Open" : "Or open"} the link that the terminal showed when the service
        started. It works once and for a short while; <code>npx -y pnpm@12 start link</code> prints
        another.
      </p>
      <form onSubmit={submit}>
        <Field
          label="Or use an API key"
          hint="It is sent once and kept nowhere in the browser."
          fault={faultAt(error, "api_key")}
        >
          {(control) => (
            <input {...control} name="api_key" type="password" autoComplete="off" required />
          )}
        </Field>
        <Button look={host === null ? "main" : "plain"} type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
