/** Moments as people say them, with the whole of it under the pointer. */

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const STEPS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

function ago(iso: string): string {
  const seconds = (Date.parse(iso) - Date.now()) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return "just now";
}

/** @param at ISO 8601 */
export function Time({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={full.format(new Date(at))}>
      {ago(at)}
    </time>
  );
}
