/** Lists that this browser keeps across reloads, each under a key of its own. */

import { useSyncExternalStore } from "react";
import type * as z from "zod/mini";

export interface KeptList<T> {
  /** What else may have come under the key is left out. */
  parsed(text: string | null): readonly T[];
  read(): readonly T[];
  keep(next: readonly T[]): void;
  /** As it is, and as it becomes. */
  use(): readonly T[];
}

export function keptList<T>(key: string, item: z.ZodMiniType<T>): KeptList<T> {
  let known: readonly T[] | null = null;
  const listeners = new Set<() => void>();
  const parsed = (text: string | null): readonly T[] => {
    let stored: unknown;
    try {
      stored = JSON.parse(text ?? "[]");
    } catch {
      return [];
    }
    if (!Array.isArray(stored)) return [];
    return stored.flatMap((each: unknown) => {
      const read = item.safeParse(each);
      return read.success ? [read.data] : [];
    });
  };
  const read = (): readonly T[] => {
    known ??= parsed(localStorage.getItem(key));
    return known;
  };
  return {
    parsed,
    read,
    keep(next) {
      known = next;
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // A full store keeps them for this visit alone.
      }
      for (const told of listeners) told();
    },
    use: () =>
      useSyncExternalStore((told) => {
        listeners.add(told);
        return () => listeners.delete(told);
      }, read),
  };
}
