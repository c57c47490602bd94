/** How one prediction came about: from what is usual, each column moves it up or down, to what is said. */

import { figure } from "@distillery/engine/charts";
import { Text } from "../../../ui/text.tsx";
import { type Path, stairsOf } from "./answer.ts";
import { shown } from "./field-control.tsx";
import type { Row } from "./fields.ts";

/** More are one stair of all others. */
const STAIRS = 9;

interface WaterfallProps {
  readonly path: Path;
  /** What the path begins with, in words. */
  readonly base: string;
  readonly row: Row;
  /** A value as it is written, such as `23.4 %`. */
  readonly written: (value: number) => string;
  /** How far a column moves it, such as `2.1 points`; never negative. */
  readonly moved: (by: number) => string;
  /** What is drawn at least from end to end: nothing much is not to look like much. */
  readonly leastRoom: number;
  /** What is predicted, such as `cnt`. */
  readonly of: string;
}

export function Waterfall({ path, base, row, written, moved, leastRoom, of }: WaterfallProps) {
  const stairs = stairsOf(path, STAIRS);
  const ends = stairs.flatMap(({ from, to }) => [from, to]);
  const least = Math.min(path.base, path.prediction, ...ends);
  const most = Math.max(path.base, path.prediction, ...ends);
  const room = Math.max(most - least, leastRoom) || 1;
  const low = (least + most - room) / 2;
  const at = (value: number): string => `${(100 * (value - low)) / room}%`;
  return (
    <table className="waterfall">
      <caption>How the prediction of {of} came about</caption>
      <thead>
        <tr>
          <th scope="col">Because of</th>
          <th scope="col">
            <span className="unseen">Drawn</span>
          </th>
          <th scope="col" className="n">
            Moves it by
          </th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{base}</th>
          <td>
            <div className="track" aria-hidden="true">
              <i className="mark" style={{ left: at(path.base) }} />
            </div>
          </td>
          <td className="n">{written(path.base)}</td>
        </tr>
        {stairs.map(({ column, columns, from, to }) => (
          <tr key={column ?? ""}>
            <th scope="row">
              {column === null ? (
                `${columns} other columns`
              ) : (
                <>
                  <Text of={column} most={40} />
                  {column in row && <span className="note"> = {shown(row[column] ?? null)}</span>}
                </>
              )}
            </th>
            <td>
              <div className="track" aria-hidden="true">
                <i
                  className={to >= from ? "up" : "down"}
                  style={{
                    left: at(Math.min(from, to)),
                    width: `${(100 * Math.abs(to - from)) / room}%`,
                  }}
                />
              </div>
            </td>
            <td className={`n ${to >= from ? "up" : "down"}`}>{signed(to - from, moved)}</td>
          </tr>
        ))}
        <tr className="sum">
          <th scope="row">Prediction</th>
          <td>
            <div className="track" aria-hidden="true">
              <i className="mark" style={{ left: at(path.prediction) }} />
            </div>
          </td>
          <td className="n">{written(path.prediction)}</td>
        </tr>
      </tbody>
    </table>
  );
}

/** With a sign, also of what is positive. */
export function signed(by: number, written: (value: number) => string = figure): string {
  const size = written(Math.abs(by));
  if (size === written(0)) return size;
  return `${by > 0 ? "+" : "−"}${size}`;
}
