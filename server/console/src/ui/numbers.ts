/** Counts, sizes and durations as people read them. */

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });
const tiny = new Intl.NumberFormat("en", { notation: "scientific", maximumSignificantDigits: 4 });
const share = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 2 });

/** `12,345`. */
export const count = (value: number): string => whole.format(value);

/** `1 row`, `2 rows`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** Five digits that matter: `0.012345`, `1.2e-7`, `12,345`. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e12)) return tiny.format(value).replace("E", "e");
  return size >= 1e5 ? whole.format(value) : short.format(value);
}

/** `4.2%`; what is not nothing is not shown as `0%`, nor what is not all as `100%`. */
export function percent(part: number, of: number): string {
  if (of === 0 || part === 0) return "0%";
  if (part === of) return "100%";
  const value = part / of;
  if (value < 0.001) return "<0.1%";
  return value > 0.99 ? ">99%" : share.format(value);
}

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"] as const;

/** `512 bytes`, `1.4 MiB`. */
export function size(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(value) : value.toFixed(value < 10 ? 1 : 0)} ${UNITS[unit]}`;
}

/** `8 s`, `3 min`, `2 h 5 min`. */
export function span(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
