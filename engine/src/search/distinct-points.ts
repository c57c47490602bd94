import type { Parameters } from "./space.ts";

/** Each point once, where it stood first; points of one space list their parameters in one order. */
export function distinctPoints(points: readonly Parameters[]): readonly Parameters[] {
  return [...new Map(points.map((point) => [JSON.stringify(point), point])).values()];
}
