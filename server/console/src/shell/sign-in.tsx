/** The way in: by the one-time link that the terminal printed, or by an API key. */

import { type FormEvent, useEffect, useRef, useState } from "react";
import { useLocation, useNavigate } from "react-router";
import { type SignInWith, useSession } from "../api/session.tsx";
import { Button } from "../ui/button.tsx";
import { Field, faultAt } from "../ui/field.tsx";
import { Loading } from "../ui/loading.tsx";
import { ProblemNote } from "../ui/problem.tsx";

export function SignIn() {
  const { signIn } = useSession();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [link] = useState(() => (pathname === "/sign-in" ? hash.slice(1) : ""));
  const tried = useRef(false);
  const enter = (by: SignInWith): void => {
    setBusy(true);
    setError(null);
    signIn(by)
      .then(() => {
        // Who was on the way to a view gets there.
        if (pathname === "/sign-in") navigate("/", { replace: true });
        else navigate(pathname + search, { replace: true });
      })
      .catch(setError)
      .finally(() => setBusy(false));
  };
  useEffect(() => {
    if (link === "" || tried.current) return;
    tried.current = true;
    // The link opens once; in the address bar and the history it is of no more use.
    navigate("/sign-in", { replace: true });
    enter({ one_time_token: link });
  });
  useEffect(() => {
    document.title = "Sign in · Distillery";
  }, []);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const key = new FormData(event.currentTarget).get("api_key");
    if (typeof key === "string" && key.trim() !== "") enter({ api_key: key.trim() });
  };
  if (busy && link !== "" && error === null) return <Loading label="Signing in" />;
  return (
    <main className="sign-in">
      <h1>Sign in to Distillery</h1>
      <p>
        Open the link that the terminal showed when the service started. It works once and for a
        short while; <code>npx -y pnpm@12 start link</code> prints another.
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
        <Button look="main" type="submit" busy={busy}>
          Sign in
        </Button>
      </form>
      {error !== null && <ProblemNote error={error} />}
    </main>
  );
}
