/**
 * Frames: a page turned so that text of one direction stands upright. Angles in degrees, clockwise, of
 * the direction that letters follow each other in; 0 for upright text.
 */

export interface Frame {
  readonly angle: number;
  /** Of the page in it; points. */
  readonly width: number;
  readonly height: number;
}

type Point = readonly [number, number];

/** @param width, height of the page as it is displayed */
export function frameOf(angle: number, width: number, height: number): Frame {
  const isSideways = angle === 90 || angle === 270;
  return { angle, width: isSideways ? height : width, height: isSideways ? width : height };
}

/** From the page as it is displayed. */
export function intoFrame({ angle, width, height }: Frame, [x, y]: Point): Point {
  switch (angle) {
    case 0:
      return [x, y];
    case 90:
      return [y, height - x];
    case 180:
      return [width - x, height - y];
    case 270:
      return [width - y, x];
    default: {
      const [cos, sin] = direction(angle);
      return [x * cos + y * sin, y * cos - x * sin];
    }
  }
}

export function outOfFrame({ angle, width, height }: Frame, [x, y]: Point): Point {
  switch (angle) {
    case 0:
      return [x, y];
    case 90:
      return [height - y, x];
    case 180:
      return [width - x, height - y];
    case 270:
      return [y, width - x];
    default: {
      const [cos, sin] = direction(angle);
      return [x * cos - y * sin, x * sin + y * cos];
    }
  }
}

function direction(angle: number): Point {
  const radians = (angle * Math.PI) / 180;
  return [Math.cos(radians), Math.sin(radians)];
}
