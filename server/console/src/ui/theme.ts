/** Light, dark, or as the system has it; kept for the next visit. */

import { useSyncExternalStore } from "react";

const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "distillery.theme";
const listeners = new Set<() => void>();

function stored(): Theme {
  const text = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === text) ?? "system";
}

/** Tells the style sheet, which follows the system where nothing is chosen. */
export function applyTheme(): void {
  const theme = stored();
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, stored);
  const choose = (chosen: Theme): void => {
    localStorage.setItem(KEY, chosen);
    applyTheme();
    for (const changed of listeners) changed();
  };
  return [theme, choose];
}
