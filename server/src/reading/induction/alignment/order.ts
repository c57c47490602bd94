/**
 * What the order of labels says of two that documents have instead of each other. Forms of one kind
 * ask in much the same order: counted from the labels that both have, one field stands in one place.
 * Where what both have is itself in another order (Kendall's tau, 1938), order says nothing.
 */

/** Of one place, one apart, two, and more. */
const BY_DISTANCE = [1, 0.25, -0.25] as const;
const FAR = -0.5;
/** Labels in common from which on their order shows that of the forms. */
const FEWEST_SHOWING = 3;
/** How far an order is believed that fewer labels show. */
const UNSHOWN = 0.5;
/** Orders that are compared. */
const MOST_ORDERS = 24;

/**
 * @param orders of each document, the fields that it has, as it has them
 * @param fields how many there are
 * @returns of two fields that no document has both of, -0.5 to 1: 1 where they take one place; 0 without forms to compare
 */
export function placeLikeness(
  orders: readonly (readonly number[])[],
  fields: number,
): (a: number, b: number) => number {
  const distinct = [...new Map(orders.map((order) => [order.join(" "), order])).entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, order]) => order)
    .slice(0, MOST_ORDERS);
  const sums = new Float64Array(fields * fields);
  const pairs = new Uint16Array(fields * fields);
  const at = (a: number, b: number): number => Math.min(a, b) * fields + Math.max(a, b);
  for (const [index, one] of distinct.entries()) {
    for (const other of distinct.slice(index + 1)) {
      for (const [a, b, likeness] of likenessesOf(one, other)) {
        sums[at(a, b)]! += likeness;
        pairs[at(a, b)]! += 1;
      }
    }
  }
  return (a, b) => (pairs[at(a, b)] === 0 ? 0 : sums[at(a, b)]! / pairs[at(a, b)]!);
}

/** Of each two fields that one form has alone. */
function* likenessesOf(
  one: readonly number[],
  other: readonly number[],
): Generator<[a: number, b: number, likeness: number]> {
  const inOther = new Map(other.map((field, place) => [field, place]));
  const anchors = one.filter((field) => inOther.has(field));
  const trust = agreement(anchors.map((field) => inOther.get(field)!));
  if (trust <= 0) return;
  const shared = new Set(anchors);
  const theirs = placesOf(other, shared);
  for (const [a, place] of placesOf(one, shared)) {
    for (const [b, otherPlace] of theirs) {
      yield [a, b, trust * (BY_DISTANCE[distance(place, otherPlace)] ?? FAR)];
    }
  }
}

/** Between which labels that both forms have a field stands, and how many others stand there with it. */
interface Place {
  readonly anchors: number;
  readonly behind: number;
  readonly before: number;
}

function placesOf(
  order: readonly number[],
  shared: ReadonlySet<number>,
): readonly (readonly [number, Place])[] {
  const gaps: number[][] = [[]];
  for (const field of order) {
    if (shared.has(field)) gaps.push([]);
    else gaps.at(-1)!.push(field);
  }
  return gaps.flatMap((gap, anchors) =>
    gap.map((field, at) => [field, { anchors, behind: at, before: gap.length - 1 - at }] as const),
  );
}

/** Labels by which two places are apart, counted from the nearer anchor. */
function distance(a: Place, b: Place): number {
  return (
    Math.abs(a.anchors - b.anchors) +
    Math.min(Math.abs(a.behind - b.behind), Math.abs(a.before - b.before))
  );
}

/** Kendall's tau of places in order, or what is assumed where few show it. */
function agreement(places: readonly number[]): number {
  if (places.length < FEWEST_SHOWING) return UNSHOWN;
  let [same, all] = [0, 0];
  for (const [index, one] of places.entries()) {
    for (const other of places.slice(index + 1)) {
      all += 1;
      same += other > one ? 1 : -1;
    }
  }
  return same / all;
}
