/** Which view stands at which address. Areas are loaded when they are first looked at. */

import { Activity, Suspense, useState } from "react";
import { Navigate, Route, Routes, useLocation } from "react-router";
import { ownerOf, useSession } from "./api/session.tsx";
import { AREAS, AreaView, HOME, useIsLoaded } from "./areas.tsx";
import { Shell } from "./shell/shell.tsx";
import { RETURN_PATH, SignIn } from "./shell/sign-in.tsx";
import { Loading } from "./ui/loading.tsx";
import { NotFound } from "./ui/not-found.tsx";
import { ProblemNote } from "./ui/problem.tsx";

/** @param first ends when the area that is shown first is loaded */
export function App({ first }: { readonly first: Promise<void> }) {
  const isLoaded = useIsLoaded(first);
  const { session, wasRefused, error } = useSession();
  const { pathname } = useLocation();
  const [kept, setKept] = useState<string | null>(null);
  const owner = session ? ownerOf(session) : null;
  if (owner !== null && owner !== kept) setKept(owner);
  if (session === undefined) {
    return error ? (
      <main className="sign-in">
        <ProblemNote error={error} />
      </main>
    ) : (
      <Loading />
    );
  }
  // Who came back from the issuer signs in anew, whoever another tab has signed in meanwhile.
  if (pathname === RETURN_PATH) return <SignIn />;
  // Where a session ended by itself, what was typed waits, out of sight, for whoever it belongs to.
  const shown = owner ?? (wasRefused ? kept : null);
  return (
    <>
      {session === null && <SignIn />}
      {shown !== null && (
        <Activity key={shown} mode={session === null ? "hidden" : "visible"}>
          <Views isLoaded={isLoaded} />
        </Activity>
      )}
    </>
  );
}

function Views({ isLoaded }: { readonly isLoaded: boolean }) {
  if (!isLoaded) {
    return (
      <Shell>
        <Loading />
      </Shell>
    );
  }
  return (
    <Shell>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route index element={<AreaView key="home" of={HOME} />} />
          {Object.entries(AREAS).map(([name, area]) => (
            <Route key={name} path={`${name}/*`} element={<AreaView key={name} of={area} />} />
          ))}
          <Route path="sign-in" element={<Navigate to="/" replace />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </Shell>
  );
}
