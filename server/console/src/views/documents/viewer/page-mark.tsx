/** The place of an answer on a page, drawn over it and brought into view. */

import { useEffect, useRef } from "react";
import type { Highlight } from "./highlight.ts";

interface PageMarkProps {
  readonly box: NonNullable<Highlight["box"]>;
  /** Of the page, in points. */
  readonly width: number;
  readonly height: number;
}

/** Points by which it reaches over the letters. */
const MARGIN = 2;

export function PageMark({ box: [left, top, right, bottom], width, height }: PageMarkProps) {
  const mark = useRef<HTMLDivElement>(null);
  const place = `${left} ${top} ${right} ${bottom}`;
  useEffect(() => {
    if (mark.current !== null && place !== "") bringIntoView(mark.current);
  }, [place]);
  const share = (points: number, of: number): string => `${(100 * points) / of}%`;
  return (
    <div
      ref={mark}
      className="page-mark"
      style={{
        left: share(left - MARGIN, width),
        top: share(top - MARGIN, height),
        width: share(right - left + 2 * MARGIN, width),
        height: share(bottom - top + 2 * MARGIN, height),
      }}
    />
  );
}

/** Within the viewer alone: the rest of the view stays where it is. */
export function bringIntoView(element: HTMLElement): void {
  const viewer = element.closest(".pages");
  if (viewer === null) return;
  const [inner, outer] = [element.getBoundingClientRect(), viewer.getBoundingClientRect()];
  viewer.scrollTop += inner.top - outer.top - viewer.clientHeight / 3;
  viewer.scrollLeft += inner.left - outer.left - viewer.clientWidth / 3;
}
