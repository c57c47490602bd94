/** An error in the service's own words, with what can be done about it. */

import { ServiceError } from "@distillery/client";
import type { ReactNode } from "react";
import { useSession } from "../api/session.tsx";
import { Button } from "./button.tsx";
import { faultText } from "./fault-text.ts";
import { placeOf } from "./field.tsx";

interface ProblemProps {
  readonly error: unknown;
  /** Asks again; offered where that may help. */
  readonly retry?: () => void;
  readonly children?: ReactNode;
}

export function ProblemNote({ error, retry, children }: ProblemProps) {
  const { session } = useSession();
  // Of a session before: whoever reads it has signed in since.
  if (session && error instanceof ServiceError && error.status === 401) {
    return (
      <div className="problem" role="alert">
        <p>
          <strong>Your session had ended, so nothing was done.</strong>
        </p>
        <p>You are signed in again: what you entered is still here, and can be sent now.</p>
        {children}
        {retry && <Button onClick={retry}>Try again</Button>}
      </div>
    );
  }
  const faults = error instanceof ServiceError ? error.faults : [];
  return (
    <div className="problem" role="alert">
      <p>
        <strong>{titleOf(error)}</strong>
      </p>
      {faults.length > 0 ? (
        <ul>
          {faults.map(({ loc, msg }) => (
            <li key={`${placeOf(loc)} ${msg}`}>
              {placeOf(loc) !== "" && <code>{placeOf(loc)}</code>} {faultText(msg)}
            </li>
          ))}
        </ul>
      ) : (
        <p>{error instanceof Error ? error.message : String(error)}</p>
      )}
      {children}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

function titleOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return "The console itself failed.";
  if (error.status === null) return "The service does not answer.";
  // Elsewhere it leads to where people sign in.
  if (error.status === 401) return "You are not signed in.";
  if (error.status === 404) return "This is not here (any more).";
  return error.problem?.title ?? "The service refused it.";
}
