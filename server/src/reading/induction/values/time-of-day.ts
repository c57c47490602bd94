/** The time of day beside a date: `3 May 2024 at 14:30`, `12.03.2024, 14.30 Uhr`, `From 00:01 on 3 May`. */

const BEFORE =
  "(?:at|from|um|ab|à|alle(?: ore)?|ore|às|a las|om|o godz\\.?|godz\\.?|kl\\.?|le|el|on|am)";
const BEHIND = "(?:[ap]\\.?m\\b\\.?|Uhr|uur|hrs?\\b\\.?|horas?|heures?|godz\\.?|h\\b)";
/** A colon shows a time; a point or an `h` only with a word for the hour. */
const CLOCK = `(?:[01]?\\d|2[0-4])(?::[0-5]\\d(?::[0-5]\\d)?(?: ?${BEHIND})?|[.][0-5]\\d ?${BEHIND}|h[0-5]\\d\\b)`;

const BESIDE_DATE = new RegExp(
  `,? ?(?<![\\p{L}\\d.,:])(?:${BEFORE} ){0,2}${CLOCK}(?!\\d)(?: on)?`,
  "giu",
);
const AT_END = new RegExp(`^,? ?(?:${BEFORE} ){0,2}${CLOCK}[ .)]*$`, "iu");

/** The text without its times of day. */
export const withoutTimes = (text: string): string => text.replace(BESIDE_DATE, " ");

/** Whether a text, such as what stands behind a date, is a time of day and nothing else. */
export const isTimeOfDay = (text: string): boolean => text.length < 40 && AT_END.test(text);
