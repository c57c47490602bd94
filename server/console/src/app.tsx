/** Which view stands at which address. Areas are loaded when they are first looked at. */

import { Suspense } from "react";
import { Navigate, Route, Routes, useLocation } from "react-router";
import { useSession } from "./api/session.tsx";
import { AREAS, AreaView, HOME, useIsLoaded } from "./areas.tsx";
import { Shell } from "./shell/shell.tsx";
import { RETURN_PATH, SignIn } from "./shell/sign-in.tsx";
import { Loading } from "./ui/loading.tsx";
import { NotFound } from "./ui/not-found.tsx";
import { ProblemNote } from "./ui/problem.tsx";

/** @param first ends when the area that is shown first is loaded */
export function App({ first }: { readonly first: Promise<void> }) {
  const isLoaded = useIsLoaded(first);
  const { session, error } = useSession();
  const { pathname } = useLocation();
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
  if (session === null || pathname === RETURN_PATH) return <SignIn />;
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
