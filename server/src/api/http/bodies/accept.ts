/**
 * Which of an operation's media types a request wants (RFC 9110 §12.5.1): the most specific range
 * of `Accept` that names a type gives its weight, the heaviest type wins, and among equals the one
 * that the operation names first.
 */
import { Problem } from "../../../platform/input/problem.ts";

interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
}

const RANGE = /^\s*([\w!#$&^.+*-]+)\/([\w!#$&^.+*-]+)\s*((?:;[^,]*)?)$/;
/** RFC 9110 §12.4.2: three decimals at most. */
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * @param accept the header as it came; absent or empty = anything
 * @param offers media types in lower case, the preferred first
 * @throws 406 where none of them is acceptable, 400 where the header is malformed
 */
export function negotiate<Offer extends string>(
  accept: string | undefined,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  if (accept === undefined || accept.trim() === "") return offers[0];
  const ranges = accept.split(",").flatMap((part) => (part.trim() === "" ? [] : [read(part)]));
  let best: Offer | null = null;
  let heaviest = 0;
  for (const offer of offers) {
    const weight = weightOf(offer, ranges);
    if (weight > heaviest) {
      best = offer;
      heaviest = weight;
    }
  }
  if (best !== null) return best;
  throw new Problem("not-acceptable", `This operation answers as ${offers.join(" or ")}.`);
}

function read(part: string): MediaRange {
  const match = RANGE.exec(part);
  const weights = [...(match?.[3] ?? "").matchAll(/;\s*q\s*=\s*([^;\s]*)/gi)].map(
    ([, q]) => q ?? "",
  );
  const [weight = "1"] = weights;
  if (match === null || !WEIGHT.test(weight)) {
    throw new Problem(
      "bad-request",
      `The Accept header has ${JSON.stringify(part.trim())}, which is not a media range.`,
    );
  }
  return {
    type: (match[1] ?? "").toLowerCase(),
    subtype: (match[2] ?? "").toLowerCase(),
    weight: Number(weight),
  };
}

function weightOf(offer: string, ranges: readonly MediaRange[]): number {
  const [type, subtype] = offer.split("/");
  let weight = 0;
  let specificity = -1;
  for (const range of ranges) {
    const exact = range.type === type && range.subtype === subtype;
    const matches = exact || (range.subtype === "*" && (range.type === type || range.type === "*"));
    const found = exact ? 2 : range.type === "*" ? 0 : 1;
    if (!matches || found <= specificity) continue;
    specificity = found;
    weight = range.weight;
  }
  return weight;
}
