/**
 * Rows and columns of a table of any size, of which only those in view are drawn. The cells lie in a
 * pane that stays where it is while the box behind it scrolls, so that no row is ever blank.
 * Keys: arrows, Page Up and Down, Home and End (with Control: of the whole), Control-C copies a cell.
 */

import {
  type KeyboardEvent,
  type UIEvent,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { ColumnScale, clamp, RowScale } from "./grid-window.ts";
import { shortened } from "./text.tsx";
import "./grid.css";

export interface GridColumn {
  readonly name: string;
  /** Its type, under the name. */
  readonly note?: string;
  /** What the note says in short, under the pointer. */
  readonly exact?: string;
  readonly isNumber?: boolean;
}

interface GridProps {
  readonly columns: readonly GridColumn[];
  readonly rowCount: number;
  /** Null where the value is missing. */
  readonly cell: (row: number, column: number) => string | null;
  /** What the grid is of, for those who do not see it. */
  readonly label: string;
  /** The number of the first row, as it is shown. */
  readonly firstRow?: number;
}

const ROW_HEIGHT = 28;
const HEAD_HEIGHT = 44;
/** Columns are as wide as what their first rows hold, within bounds, in pixels. */
const [NARROWEST, WIDEST, LETTER, PADDING] = [72, 320, 8.6, 24];
/** A name's letter beside one of a value: names are bold. */
const BOLD = 1.15;
const SAMPLED_ROWS = 40;
/** Of a cell; the rest is under the pointer. */
const SHOWN_LETTERS = 200;
const TALLEST = 560;

export function Grid({ columns, rowCount, cell, label, firstRow = 1 }: GridProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const [view, setView] = useState({ left: 0, top: 0, width: 0, height: 0 });
  const [active, setActive] = useState({ row: 0, column: 0 });
  const rows = useMemo(() => new RowScale(rowCount, ROW_HEIGHT), [rowCount]);
  const places = useMemo(
    () => new ColumnScale(columns.map((_, at) => widthOf(columns, rowCount, cell, at))),
    [columns, rowCount, cell],
  );
  const longest = (firstRow + rowCount).toLocaleString("en").length;
  const gutter = Math.max(48, longest * LETTER + PADDING);
  useLayoutEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    const measure = (): void =>
      setView((before) => ({ ...before, width: shown.clientWidth, height: shown.clientHeight }));
    const observer = new ResizeObserver(measure);
    observer.observe(shown);
    measure();
    return () => observer.disconnect();
  }, []);
  const scrolled = ({ currentTarget }: UIEvent<HTMLDivElement>): void =>
    setView((before) => ({
      ...before,
      left: currentTarget.scrollLeft,
      top: currentTarget.scrollTop,
    }));
  const inside = {
    width: Math.max(0, view.width - gutter),
    height: Math.max(0, view.height - HEAD_HEIGHT),
  };
  const moveTo = (row: number, column: number): void => {
    const to = {
      row: clamp(row, 0, Math.max(0, rowCount - 1)),
      column: clamp(column, 0, Math.max(0, columns.length - 1)),
    };
    setActive(to);
    box.current?.scrollTo({
      top: rows.scrolledTo(to.row, view.top, inside.height),
      left: places.scrolledTo(to.column, view.left, inside.width),
    });
  };
  const pressed = (event: KeyboardEvent): void => {
    const { row, column } = active;
    const whole = event.ctrlKey || event.metaKey;
    if (whole && event.key === "c" && getSelection()?.isCollapsed !== false) {
      void navigator.clipboard?.writeText(cell(row, column) ?? "");
      return;
    }
    const to = nextCell(event.key, whole, active, {
      rows: rowCount,
      columns: columns.length,
      page: Math.max(1, Math.floor(inside.height / ROW_HEIGHT) - 1),
    });
    if (to === null) return;
    event.preventDefault();
    moveTo(to.row, to.column);
  };
  const seenRows = rows.seen(view.top, inside.height);
  const seenColumns = places.seen(view.left, inside.width);
  const columnPlaces = range(seenColumns.from, seenColumns.to).map((column) => ({
    column,
    style: {
      left: gutter + places.start(column) - view.left,
      width: places.widthOf(column),
    },
  }));
  const cellId = (row: number, column: number): string => `${id}-${row}-${column}`;
  const isActiveDrawn =
    isWithin(seenRows, active.row) && isWithin(seenColumns, active.column) && rowCount > 0;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table element cannot be drawn in part
    <div
      ref={box}
      className="grid"
      role="grid"
      tabIndex={0}
      aria-label={label}
      aria-rowcount={rowCount + 1}
      aria-colcount={columns.length + 1}
      aria-activedescendant={isActiveDrawn ? cellId(active.row, active.column) : undefined}
      onScroll={scrolled}
      onKeyDown={pressed}
      style={{
        height: Math.min(TALLEST, HEAD_HEIGHT + Math.max(1, rowCount) * ROW_HEIGHT + 18),
      }}
    >
      <div
        className="grid-space"
        role="presentation"
        style={{ width: gutter + places.width, height: HEAD_HEIGHT + rows.height }}
      >
        <div
          className="grid-pane"
          role="presentation"
          style={{ width: view.width, height: view.height }}
        >
          {range(seenRows.from, seenRows.to).map((row, at) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and names its cell
            <div
              key={row}
              className="grid-row"
              role="row"
              aria-rowindex={row + 2}
              style={{ top: HEAD_HEIGHT + seenRows.top + at * ROW_HEIGHT, height: ROW_HEIGHT }}
            >
              {columnPlaces.map(({ column, style }) => {
                const text = cell(row, column);
                const isActive = row === active.row && column === active.column;
                return (
                  // biome-ignore lint/a11y/useSemanticElements: see above
                  // biome-ignore lint/a11y/useFocusableInteractive: see above
                  // biome-ignore lint/a11y/useKeyWithClickEvents: arrows move to it
                  <div
                    key={column}
                    id={cellId(row, column)}
                    className={`grid-cell${columns[column]?.isNumber ? " n" : ""}`}
                    role="gridcell"
                    aria-colindex={column + 2}
                    aria-selected={isActive}
                    onClick={() => moveTo(row, column)}
                    title={text === null || text.length < 12 ? undefined : shortened(text, 2_000)}
                    style={style}
                  >
                    {text === null ? (
                      <span className="grid-null">null</span>
                    ) : (
                      <bdi>{shortened(text, SHOWN_LETTERS)}</bdi>
                    )}
                  </div>
                );
              })}
              {/* biome-ignore lint/a11y/useSemanticElements: see above */}
              {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
              <div
                className="grid-number"
                role="rowheader"
                aria-colindex={1}
                style={{ width: gutter }}
              >
                {(firstRow + row).toLocaleString("en")}
              </div>
            </div>
          ))}
          {/* biome-ignore lint/a11y/useSemanticElements: see above */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
          <div className="grid-head" role="row" aria-rowindex={1} style={{ height: HEAD_HEIGHT }}>
            {columnPlaces.map(({ column, style }) => {
              const { name, note, exact = note, isNumber } = columns[column]!;
              return (
                // biome-ignore lint/a11y/useSemanticElements: see above
                // biome-ignore lint/a11y/useFocusableInteractive: see above
                <div
                  key={column}
                  className={`grid-column${isNumber ? " n" : ""}`}
                  role="columnheader"
                  aria-colindex={column + 2}
                  title={`${shortened(name, 2_000)}${exact ? ` (${exact})` : ""}`}
                  style={style}
                >
                  <bdi>{shortened(name, SHOWN_LETTERS)}</bdi>
                  {note && <small>{note}</small>}
                </div>
              );
            })}
            {/* biome-ignore lint/a11y/useSemanticElements: see above */}
            {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
            <div
              className="grid-corner"
              role="columnheader"
              aria-colindex={1}
              style={{ width: gutter }}
            >
              <span className="unseen">Row</span>
            </div>
          </div>
        </div>
      </div>
    </div>
  );
}

const isWithin = ({ from, to }: { from: number; to: number }, at: number): boolean =>
  from <= at && at < to;

const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);

function widthOf(
  columns: readonly GridColumn[],
  rowCount: number,
  cell: GridProps["cell"],
  column: number,
): number {
  const { name, note = "" } = columns[column]!;
  let letters = Math.max(BOLD * name.length, note.length);
  // Of very many columns the names are measure enough.
  const rows = columns.length > 2_000 ? 3 : SAMPLED_ROWS;
  for (let row = 0; row < Math.min(rows, rowCount); row++) {
    letters = Math.max(letters, cell(row, column)?.length ?? 4);
  }
  return clamp(letters * LETTER + PADDING, NARROWEST, WIDEST);
}

interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where a key leads; null for keys that lead nowhere. */
function nextCell(
  key: string,
  whole: boolean,
  { row, column }: Place,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): Place | null {
  switch (key) {
    case "ArrowUp":
      return { row: whole ? 0 : row - 1, column };
    case "ArrowDown":
      return { row: whole ? rows - 1 : row + 1, column };
    case "ArrowLeft":
      return { row, column: whole ? 0 : column - 1 };
    case "ArrowRight":
      return { row, column: whole ? columns - 1 : column + 1 };
    case "PageUp":
      return { row: row - page, column };
    case "PageDown":
      return { row: row + page, column };
    case "Home":
      return { row: whole ? 0 : row, column: 0 };
    case "End":
      return { row: whole ? rows - 1 : row, column: columns - 1 };
    default:
      return null;
  }
}
