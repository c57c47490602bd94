/** Which view stands at which address. Views are loaded when they are first looked at. */

import { lazy, Suspense } from "react";
import { Navigate, Route, Routes } from "react-router";
import { useSession } from "./api/session.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignIn } from "./shell/sign-in.tsx";
import { Loading } from "./ui/loading.tsx";
import { NotFound } from "./ui/not-found.tsx";
import { ProblemNote } from "./ui/problem.tsx";

const Home = lazy(() => import("./views/home/home.tsx"));
const Data = lazy(() => import("./views/data/data.tsx"));
const Train = lazy(() => import("./views/train/train.tsx"));
const Models = lazy(() => import("./views/models/models.tsx"));
const Serve = lazy(() => import("./views/serve/serve.tsx"));
const Documents = lazy(() => import("./views/documents/documents.tsx"));
const Admin = lazy(() => import("./views/admin/admin.tsx"));

export function App() {
  const { session, error } = useSession();
  if (session === undefined) {
    return error ? (
      <main className="sign-in">
        <ProblemNote error={error} />
      </main>
    ) : (
      <Loading />
    );
  }
  if (session === null) return <SignIn />;
  return (
    <Shell>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route index element={<Home />} />
          <Route path="data/*" element={<Data />} />
          <Route path="train/*" element={<Train />} />
          <Route path="models/*" element={<Models />} />
          <Route path="serve/*" element={<Serve />} />
          <Route path="documents/*" element={<Documents />} />
          <Route path="admin/*" element={<Admin />} />
          <Route path="sign-in" element={<Navigate to="/" replace />} />
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </Shell>
  );
}
