/** The page of one thing that is not there yet, or of which the service says why it cannot be shown. */

import type { ReactNode } from "react";
import { ButtonLink } from "./button.tsx";
import { Loading } from "./loading.tsx";
import { Page } from "./page.tsx";
import { ProblemNote } from "./problem.tsx";

interface PendingPageProps {
  readonly title: string;
  readonly path: readonly { readonly to: string; readonly label: string }[];
  /** Null while it is asked for. */
  readonly error: Error | null;
  readonly retry: () => void;
  /** The way to the others of its kind. */
  readonly all: { readonly to: string; readonly label: ReactNode };
}

export function PendingPage({ title, path, error, retry, all }: PendingPageProps) {
  return (
    <Page title={title} path={path}>
      {error ? (
        <ProblemNote error={error} retry={retry}>
          <p>
            <ButtonLink to={all.to}>{all.label}</ButtonLink>
          </p>
        </ProblemNote>
      ) : (
        <Loading />
      )}
    </Page>
  );
}
