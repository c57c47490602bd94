/** The columns of a table with what they hold; of ten thousand only those in view are drawn. */

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/field.tsx";
import { count, counted, figure, percent } from "../../../ui/numbers.ts";
import { Text } from "../../../ui/text.tsx";
import { type ColumnFigures, chosenColumns, oddities, SORTS, type Sort } from "./column-figures.ts";
import { Histogram, placeText, TopValues } from "./value-bars.tsx";

const ESTIMATED_HEIGHT = 92;

const isSort = (text: string | null): text is Sort => text !== null && text in SORTS;

export function ColumnList({ columns }: { readonly columns: readonly ColumnFigures[] }) {
  const [query, setQuery] = useSearchParams();
  const sort = query.get("sort");
  const part = query.get("find") ?? "";
  const kind = query.get("kind") ?? "";
  const onlyOdd = query.has("odd");
  const wanted = useDeferredValue(part);
  const shown = useMemo(
    () =>
      chosenColumns(columns, {
        part: wanted,
        kind,
        onlyOdd,
        sort: isSort(sort) ? sort : "place",
      }),
    [columns, wanted, kind, onlyOdd, sort],
  );
  const kinds = useMemo(() => [...new Set(columns.map((column) => column.kind))], [columns]);
  const say = (name: string, value: string): void =>
    setQuery(
      (before) => {
        if (value === "") before.delete(name);
        else before.set(name, value);
        return before;
      },
      { replace: true, preventScrollReset: true },
    );
  return (
    <>
      <div className="form-row">
        <Field label="Find a column">
          {(control) => (
            <input
              {...control}
              type="search"
              value={part}
              onChange={({ target }) => say("find", target.value)}
            />
          )}
        </Field>
        <Field label="Kind">
          {(control) => (
            <select {...control} value={kind} onChange={({ target }) => say("kind", target.value)}>
              <option value="">All kinds</option>
              {kinds.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Order">
          {(control) => (
            <select
              {...control}
              value={isSort(sort) ? sort : "place"}
              onChange={({ target }) => say("sort", target.value)}
            >
              {Object.entries(SORTS).map(([id, text]) => (
                <option key={id} value={id}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <div className="row">
        <label className="check">
          <input
            type="checkbox"
            checked={onlyOdd}
            onChange={({ target }) => say("odd", target.checked ? "1" : "")}
          />
          Only columns with something odd
        </label>
        <span className="note" role="status">
          {shown.length === columns.length
            ? counted(columns.length, "column")
            : `${count(shown.length)} of ${counted(columns.length, "column")}`}
        </span>
      </div>
      <Rows columns={shown} />
    </>
  );
}

function Rows({ columns }: { readonly columns: readonly ColumnFigures[] }) {
  const list = useRef<HTMLUListElement>(null);
  const [margin, setMargin] = useState(0);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => setMargin(list.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: columns.length,
    estimateSize: () => ESTIMATED_HEIGHT,
    overscan: 6,
    scrollMargin: margin,
    getItemKey: (at) => columns[at]!.name,
  });
  const toggle = (name: string): void =>
    setOpened((before) => {
      const after = new Set(before);
      if (!after.delete(name)) after.add(name);
      return after;
    });
  return (
    <ul ref={list} className="column-list" style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map(({ index, key, start }) => {
        const column = columns[index]!;
        return (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-setsize={columns.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - margin}px)` }}
          >
            <ColumnRow
              column={column}
              isOpen={opened.has(column.name)}
              onToggle={() => toggle(column.name)}
            />
          </li>
        );
      })}
    </ul>
  );
}

interface RowProps {
  readonly column: ColumnFigures;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function ColumnRow({ column, isOpen, onToggle }: RowProps) {
  const { name, kind, missing, distinct, histogram, min, max } = column;
  const odd = oddities(column);
  return (
    <>
      <div className="column-row">
        <div>
          <h2 className="column-name">
            <Text of={name} />
          </h2>
          <p className="note">{kind}</p>
        </div>
        <dl>
          <div>
            <dt>Missing</dt>
            <dd>{missing === 0 ? "None" : percent(missing, column.count)}</dd>
          </div>
          <div>
            <dt>Different</dt>
            <dd>
              {column.distinct_is_estimate ? "about " : ""}
              {count(distinct)}
            </dd>
          </div>
        </dl>
        <div className="column-values">
          {histogram ? (
            <Histogram of={histogram} min={min} max={max} />
          ) : (
            <TopValues of={column} most={3} />
          )}
        </div>
        <Button
          look="quiet"
          aria-expanded={isOpen}
          aria-label={`Details of ${name.slice(0, 100)}`}
          onClick={onToggle}
        >
          {isOpen ? "Less" : "Details"}
        </Button>
      </div>
      {odd.length > 0 && <p className="column-odd">Look at it: {odd.join("; ")}.</p>}
      {isOpen && <Details of={column} />}
    </>
  );
}

function Details({ of }: { readonly of: ColumnFigures }) {
  const { min, max, mean, std, std_days, quantiles = [], infinite, missing, top_values } = of;
  const facts: (readonly [string, string])[] = [
    ["Rows", count(of.count)],
    ["Missing", count(missing)],
  ];
  if (infinite) facts.push(["Infinite", count(infinite)]);
  if (min !== undefined) facts.push(["Least", placeText(min)]);
  for (const { q, value } of quantiles) facts.push([`${figure(q * 100)}%`, placeText(value)]);
  if (max !== undefined) facts.push(["Most", placeText(max)]);
  if (mean !== undefined) facts.push(["Mean", placeText(mean)]);
  if (std !== undefined) facts.push(["Standard deviation", figure(std)]);
  if (std_days !== undefined) facts.push(["Standard deviation", `${figure(std_days)} days`]);
  return (
    <div className="column-details">
      <dl>
        {facts.map(([term, text]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {top_values && <TopValues of={of} most={top_values.length} />}
    </div>
  );
}
