/** Statements that were run in this browser, the latest first; without what they gave. */

import { useSyncExternalStore } from "react";

export interface PastStatement {
  readonly sql: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const KEY = "distillery.statements";
const MOST = 50;
/** Longer ones are not kept. */
const LONGEST = 20_000;

let past: readonly PastStatement[] | null = null;
const listeners = new Set<() => void>();

function read(): readonly PastStatement[] {
  past ??= parsed(localStorage.getItem(KEY));
  return past;
}

/** What else may have come under the key is left out. */
export function parsed(text: string | null): readonly PastStatement[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "[]");
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return stored.flatMap((each: unknown) =>
    typeof each === "object" &&
    each !== null &&
    "sql" in each &&
    "at" in each &&
    typeof each.sql === "string" &&
    typeof each.at === "number"
      ? [{ sql: each.sql, at: each.at }]
      : [],
  );
}

function keep(statements: readonly PastStatement[]): void {
  past = statements;
  try {
    localStorage.setItem(KEY, JSON.stringify(statements));
  } catch {
    // A full store keeps them for this visit alone.
  }
  for (const told of listeners) told();
}

/** The statement becomes the latest; one that is there already moves up. */
export function rememberStatement(sql: string): void {
  if (sql.length > LONGEST) return;
  const others = read().filter((each) => each.sql !== sql);
  keep([{ sql, at: Date.now() }, ...others].slice(0, MOST));
}

export const forgetStatements = (): void => keep([]);

export const usePastStatements = (): readonly PastStatement[] =>
  useSyncExternalStore((told) => {
    listeners.add(told);
    return () => listeners.delete(told);
  }, read);
