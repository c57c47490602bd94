/** Short notes of what was done or has failed, read out to those who do not see them. */

import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { Button } from "./button.tsx";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isFailure: boolean;
}

interface ToastState {
  readonly done: (text: string) => void;
  /** Of an action that failed; the error's own words. */
  readonly failed: (error: unknown) => void;
}

const ToastContext = createContext<ToastState | null>(null);
const SHOWN_MS = 6_000;
let last = 0;

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const drop = useCallback(
    (id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)),
    [],
  );
  const add = useCallback(
    (text: string, isFailure: boolean) => {
      last += 1;
      const id = last;
      setToasts((shown) => [...shown.slice(-3), { id, text, isFailure }]);
      // A failure stays until it was read.
      if (!isFailure) setTimeout(() => drop(id), SHOWN_MS);
    },
    [drop],
  );
  const state = useMemo<ToastState>(
    () => ({
      done: (text) => add(text, false),
      failed: (error) => add(error instanceof Error ? error.message : String(error), true),
    }),
    [add],
  );
  return (
    <ToastContext value={state}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {toasts.map(({ id, text, isFailure }) => (
          <div key={id} className={isFailure ? "toast failure" : "toast"}>
            <span>{text}</span>
            <Button look="quiet" onClick={() => drop(id)}>
              Close
            </Button>
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

export function useToasts(): ToastState {
  const state = useContext(ToastContext);
  if (state === null) throw new Error("useToasts is called outside of Toasts");
  return state;
}
