/**
 * Numbers in a time column that are dates written in a way that no number tells: weeks, quarters and days behind their
 * year go on from 201552 to 201601, and counted as numbers they have a gap in every year and forecasts of no date.
 */

import { shown } from "../../data/shown.ts";
import { DataError } from "../../data/table.ts";
import { MOST_DISTANCES, type Stamps } from "./frequency.ts";

interface Form {
  readonly called: string;
  readonly written: string;
  /** What a year is multiplied by, and the last of its parts, which begin with 1. */
  readonly year: number;
  readonly parts: number;
  /** What the numbers are multiplied by first. */
  readonly scale: number;
  readonly better: string;
}

const FORMS: readonly Form[] = [
  { called: "quarters", written: "YYYYQ", year: 10, parts: 4, scale: 1, better: "2015Q1" },
  { called: "months", written: "YYYYMM", year: 100, parts: 12, scale: 1, better: "2015-01" },
  { called: "weeks", written: "YYYYWW", year: 100, parts: 53, scale: 1, better: "2015-W05" },
  {
    ...{ called: "days of years", written: "YYYYDDD", year: 1000, parts: 366, scale: 1 },
    better: "2015-01-31",
  },
  { called: "quarters", written: "YYYY.Q", year: 10, parts: 4, scale: 10, better: "2015Q1" },
  { called: "months", written: "YYYY.MM", year: 100, parts: 12, scale: 100, better: "2015-01" },
];
const DAYS: Pick<Form, "better" | "called" | "written"> = {
  ...{ called: "days", written: "YYYYMMDD", better: "2015-01-31" },
};
const [FIRST_YEAR, LAST_YEAR] = [1900, 2100];
/** Numbers of a single year that say how they are written; fewer could be anything. */
const FEWEST = 5;

/** 1990 to 2050, in units of which a second has so many. */
const EPOCH = [631_152_000, 2_524_608_000] as const;
const UNITS = [
  ["seconds", 1],
  ["milliseconds", 1e3],
  ["microseconds", 1e6],
  ["nanoseconds", 1e9],
] as const;
/** Seconds that instants of regular steps are whole multiples of. */
const LEAST_STEP = 60;

/**
 * @param series stamps as numbers
 * @returns warnings of what may be meant
 * @throws DataError where the numbers go on from one year to the next as dates do and numbers do not
 */
export function checkDatesInNumbers(column: string, series: readonly Stamps[]): string[] {
  const distinct = distinctOf(series);
  const [first, last] = [distinct[0], distinct[distinct.length - 1]];
  const form = FORMS.find((each) => distinct.every((value) => isOf(each, value)));
  if (form) {
    const turn = series.map(({ times }) => turnOf(form, times)).find((each) => each !== null);
    if (turn) {
      throw new DataError(
        `The numbers of the time column ${shown(column)} go on from ${turn[0]} to ${turn[1]}, as ${form.called} written as ${form.written} do; as numbers they would have a gap in every year. Write them as ${form.better}, so that they are read as times.`,
        { column, member: "timeColumn" },
      );
    }
  }
  const oneYear =
    form?.scale === 1 && form.year > 10 ? form : isOneMonth(first, last) ? DAYS : null;
  if (oneYear && distinct.length >= FEWEST && last - first === distinct.length - 1) {
    return [
      `The numbers of the time column ${shown(column)}, ${first} to ${last}, may be ${oneYear.called} written as ${oneYear.written}: they are taken as numbers, and forecasts go on with ${last + 1}. If they are times, write them as ${oneYear.better}.`,
    ];
  }
  const unit = UNITS.find(([, second]) =>
    distinct.every(
      (value) =>
        value >= EPOCH[0] * second &&
        value <= EPOCH[1] * second &&
        (value - first) % (LEAST_STEP * second) === 0,
    ),
  );
  if (unit === undefined || distinct.length < FEWEST) return [];
  const [name, second] = unit;
  const instant = new Date((first / second) * 1000).toISOString();
  return [
    `The numbers of the time column ${shown(column)} may be ${name} since 1970, from ${instant} on: they are taken as numbers, of which no calendar tells days, weeks or months. ${second <= 1e3 ? `If they are times, declare the kind of ${shown(column)} as timestamp.` : "If they are times, write them as 2015-01-31T10:00:00Z."}`,
  ];
}

/** Ascending. */
function distinctOf(series: readonly Stamps[]): readonly number[] {
  const found = new Set<number>();
  for (const { times } of series) {
    if (found.size > MOST_DISTANCES) break;
    for (const time of times) found.add(time);
  }
  return [...found].sort((a, b) => a - b);
}

const partOf = ({ year, scale }: Form, value: number): number => Math.round(value * scale) % year;
const yearOf = ({ year, scale }: Form, value: number): number =>
  Math.floor(Math.round(value * scale) / year);

function isOf(form: Form, value: number): boolean {
  const [year, part] = [yearOf(form, value), partOf(form, value)];
  const written = (year * form.year + part) / form.scale;
  return (
    year >= FIRST_YEAR &&
    year <= LAST_YEAR &&
    part >= 1 &&
    part <= form.parts &&
    Math.abs(value - written) < 1e-9 * value
  );
}

/** The last number of a year and the first of the next one, further apart than numbers within a year are; null: none are. */
function turnOf(form: Form, times: Float64Array): readonly [number, number] | null {
  let step = Number.POSITIVE_INFINITY;
  let turn: readonly [number, number] | null = null;
  for (let i = 1; i < times.length; i++) {
    const distance = times[i] - times[i - 1];
    const years = yearOf(form, times[i]) - yearOf(form, times[i - 1]);
    if (years === 0) step = Math.min(step, distance);
    else if (turn === null && years === 1) turn = [times[i - 1], times[i]];
  }
  const { year, scale } = form;
  return turn && turn[1] - turn[0] > step + 1e-9 * year && step < year / scale ? turn : null;
}

/** Whether they are days of one month as YYYYMMDD. */
function isOneMonth(first: number, last: number): boolean {
  const [month, day] = [Math.floor(first / 100), first % 100];
  const [year, ofYear] = [Math.floor(month / 100), month % 100];
  return (
    Number.isInteger(first) &&
    month === Math.floor(last / 100) &&
    day >= 1 &&
    last % 100 <= 31 &&
    year >= FIRST_YEAR &&
    year <= LAST_YEAR &&
    ofYear >= 1 &&
    ofYear <= 12
  );
}
