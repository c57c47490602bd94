/** Answers that follow what changes quickly: one question at a time, and of those that came meanwhile the last. */

import { useEffect, useRef, useState } from "react";

export interface Latest<Question, Answer> {
  /** The last answer that came, with what it is an answer to. */
  readonly settled: { readonly question: Question; readonly answer: Answer } | null;
  readonly error: unknown;
  /** Whether the answer is of an earlier question. */
  readonly isBehind: boolean;
  readonly retry: () => void;
}

/**
 * A question that is asked is not given up for the next one: a slider that never rests would never be
 * answered. It ends with the view.
 *
 * @param question null = nothing is asked
 * @param pauseMs between questions
 */
export function useLatest<Question, Answer>(
  question: Question | null,
  ask: (question: Question, signal: AbortSignal) => Promise<Answer>,
  pauseMs: number,
): Latest<Question, Answer> {
  const [settled, setSettled] = useState<Latest<Question, Answer>["settled"]>(null);
  const [error, setError] = useState<unknown>(null);
  const [tries, setTries] = useState(0);
  const wanted = useRef(question);
  const asking = useRef(ask);
  const wake = useRef<() => void>(() => {});
  wanted.current = question;
  asking.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked anew where it is tried again
  useEffect(() => {
    const ending = new AbortController();
    let isBusy = false;
    let answered: Question | null = null;
    const next = async (): Promise<void> => {
      if (isBusy) return;
      isBusy = true;
      while (!ending.signal.aborted && wanted.current !== null && wanted.current !== answered) {
        const asked: Question = wanted.current;
        answered = asked;
        try {
          const answer = await asking.current(asked, ending.signal);
          if (ending.signal.aborted) return;
          setSettled({ question: asked, answer });
          setError(null);
        } catch (fault) {
          if (ending.signal.aborted) return;
          setError(fault);
        }
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      isBusy = false;
    };
    wake.current = () => void next();
    wake.current();
    return () => ending.abort();
  }, [pauseMs, tries]);
  useEffect(() => {
    if (question !== null) wake.current();
  }, [question]);
  return {
    settled,
    error,
    isBehind: question !== null && settled?.question !== question,
    retry: () => setTries((count) => count + 1),
  };
}
