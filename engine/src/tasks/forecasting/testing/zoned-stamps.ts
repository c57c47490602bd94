/** Stamps of series by local clocks, as the time zone database has them. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  formats.set(zone, format);
  return format;
}

/** The instant at which clocks of that zone show what UTC would show at `wall`. */
export function instantIn(zone: string, wall: number): number {
  const parts = formatOf(zone);
  const offsetAt = (time: number): number => {
    const name = parts.formatToParts(time).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign = "+", hours = "0", minutes = "0"] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
    return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60_000);
  };
  return wall - offsetAt(wall - offsetAt(wall));
}

const walls = {
  days: (from: string, i: number) => Date.parse(from) + i * DAY,
  weeks: (from: string, i: number) => Date.parse(from) + i * 7 * DAY,
  months: (from: string, i: number) => {
    const start = new Date(Date.parse(from));
    return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + i, 1);
  },
  "six hours": (from: string, i: number) => Date.parse(from) + i * 6 * HOUR,
  hours: (from: string, i: number) => Date.parse(from) + i * HOUR,
};

export function stampsOf(
  kind: keyof typeof walls,
  zone: string,
  { from, count, skip = 0 }: { from: string; count: number; skip?: number },
): number[] {
  return Array.from({ length: count }, (_, i) =>
    kind === "hours"
      ? instantIn(zone, Date.parse(from)) + (i + skip) * HOUR
      : instantIn(zone, walls[kind](from, i + skip)),
  );
}
