/** Figures of runs as people read them. */

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

/** Of a metric; `–` where it is undefined. */
export const score = (value: number | null | undefined): string =>
  value === null || value === undefined ? "–" : number.format(value);

/** Such as `42 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 10 && seconds !== whole) return `${seconds.toFixed(1)} s`;
  if (whole < 60) return `${whole} s`;
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${whole % 60} s`;
}

const UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** Decimal, as disks are sold. */
export function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount.toLocaleString("en", { maximumSignificantDigits: 3 })} ${UNITS[power] ?? "bytes"}`;
}
