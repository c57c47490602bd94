/** Figures of runs as people read them. */

import { figure } from "../../ui/numbers.ts";

/** Of a metric; `–` where it is undefined. */
export const score = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : figure(value);

/** Such as `12 ms`, `42 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  if (seconds > 0 && seconds < 0.1) return `${Math.max(1, Math.round(1000 * seconds))} ms`;
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 10 && seconds !== whole) return `${seconds.toFixed(1)} s`;
  if (whole < 60) return `${whole} s`;
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}
