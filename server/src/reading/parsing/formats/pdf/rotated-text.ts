/** Text of other directions than the page's, with boxes on the page as it is read. */

import type { LaidLine, LaidSpan } from "../../layout/line.ts";
import { regionsOf } from "../../layout/regions.ts";
import { type Frame, intoFrame, outOfFrame } from "./frame.ts";
import type { DirectedRuns } from "./page-runs.ts";

/** @param main the frame that the page is read in */
export function rotatedLines({ frame, runs }: DirectedRuns, main: Frame): LaidLine[][] {
  return regionsOf(runs).map((lines) =>
    lines.map((line) => {
      const spans = line.spans.map((span) => ({ ...span, ...turned(span, frame, main) }));
      return { ...line, ...turned(line, frame, main), spans };
    }),
  );
}

type Edges = Pick<LaidSpan, "left" | "top" | "right" | "bottom">;

/** The upright box around a turned one. */
function turned({ left, top, right, bottom }: Edges, from: Frame, to: Frame): Edges {
  const corners = (
    [
      [left, top],
      [right, top],
      [left, bottom],
      [right, bottom],
    ] as const
  ).map((corner) => intoFrame(to, outOfFrame(from, corner)));
  const [x, y] = [0, 1].map((axis) => corners.map((corner) => corner[axis]!));
  return {
    left: Math.min(...x!),
    top: Math.min(...y!),
    right: Math.max(...x!),
    bottom: Math.max(...y!),
  };
}
