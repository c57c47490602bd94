/** When the steps of a model's series are, and the places of its seasons, for people. */

import type { SavedFrame, SeasonPlaces, SeriesCalendar } from "../framing.ts";
import { shiftAt } from "./clock.ts";
import { DAY, describeFrequency, type Frequency, HOUR, timeOf } from "./frequency.ts";
import { clockOfSeries, type Header, headerSchema, namedKey } from "./header.ts";

/** 5 January 1970. */
const MONDAY = 4 * DAY;

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export function calendarOf(saved: SavedFrame): SeriesCalendar {
  const header = headerSchema.parse(saved.header);
  const { frequency, isTime, seriesColumns, keys, horizon, known } = header;
  const { starts } = saved.tensors;
  const startOf = (series: number): number => starts?.[series] ?? 0;
  return {
    step: describeFrequency(frequency, isTime),
    isTime,
    horizon,
    knownAhead: known.map(({ name }) => name),
    timeOf(series, offset) {
      const step = startOf(series) + offset;
      return timeOf(frequency, step) + shiftAt(clockOfSeries(header, series), step);
    },
    askedAs: (series) =>
      seriesColumns.length === 0
        ? {}
        : {
            series: [namedKey(seriesColumns, keys[series] ?? [])],
          },
    seasonPlaces: (season) => placesOf(header, season, startOf),
  };
}

/**
 * From instants to days as the clock of the stamps has them, where that is known to be no clock of UTC: what is late
 * in the day is midnight further east. Models with clocks of their series count in local days already.
 */
function localDay({ frequency, clock }: Pick<Header, "frequency" | "clock">): number {
  if (frequency.kind === "business_days") return -Math.floor(frequency.time / DAY) * DAY;
  if (clock === undefined || frequency.kind !== "regular") return 0;
  const time = ((frequency.origin % DAY) + DAY) % DAY;
  return frequency.step % DAY === 0 && time >= DAY / 2 ? DAY - time : 0;
}

/** In the order of the clock or the calendar where the season is one of theirs. */
function placesOf(
  header: Pick<Header, "frequency" | "clock" | "isTime">,
  season: number,
  startOf: (series: number) => number,
): SeasonPlaces {
  const { frequency, isTime } = header;
  const cycle = isTime ? cycleOf(frequency, season) : null;
  const day = localDay(header);
  const stamps = Array.from({ length: season }, (_, place) => timeOf(frequency, place) + day);
  const order = Array.from(stamps.keys());
  if (cycle) order.sort((a, b) => cycle.at(stamps[a]) - cycle.at(stamps[b]));
  const rank = new Uint32Array(season);
  for (const [place, phase] of order.entries()) rank[phase] = place;
  return {
    names: cycle && order.map((phase) => cycle.name(stamps[phase])),
    of: (series, offset) => {
      const phase = (startOf(series) + offset) % season;
      return rank[phase < 0 ? phase + season : phase];
    },
  };
}

interface Cycle {
  at(time: number): number;
  name(time: number): string;
}

/** Null where the season is no day, week or year of such steps. */
function cycleOf(frequency: Frequency, season: number): Cycle | null {
  if (frequency.kind === "business_days") return season === 5 ? ofWeeks(true) : null;
  const { step } = frequency;
  if (frequency.kind === "months") {
    if (step * season !== 12) return null;
    const month = (time: number): number => new Date(time).getUTCMonth();
    return { at: month, name: (time) => MONTHS[month(time)] };
  }
  if (step * season === DAY) {
    const at = (time: number): number => ((time % DAY) + DAY) % DAY;
    return { at, name: (time) => clock(at(time)) };
  }
  if (step * season === 7 * DAY) return ofWeeks(step === DAY);
  return null;
}

function ofWeeks(isDaily: boolean): Cycle {
  const at = (time: number): number => (((time - MONDAY) % (7 * DAY)) + 7 * DAY) % (7 * DAY);
  return {
    at,
    name: (time) => {
      const day = DAYS[Math.floor(at(time) / DAY)];
      return isDaily ? day : `${day} ${clock(at(time) % DAY)}`;
    },
  };
}

function clock(time: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  return `${two(time / HOUR)}:${two((time % HOUR) / 60_000)}`;
}
