/** The rows of a statement, and files of them. */

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { Grid } from "../../../ui/grid.tsx";
import { counted, figure } from "../../../ui/numbers.ts";
import { useToasts } from "../../../ui/toasts.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { csvOf } from "./csv.ts";
import { arrowOf, type Statement } from "./query-client.ts";
import { isNumberType, type QueryResult, valueText } from "./result.ts";

interface ResultViewProps {
  readonly result: QueryResult;
  /** What gave it. */
  readonly statement: Statement;
  /** How long that took. */
  readonly ms: number;
}

/** Of a statement that a file is made of; the service gives no more rows at once. */
const MOST_ROWS = 100_000;

export function ResultView({ result, statement, ms }: ResultViewProps) {
  const { columns, rows, truncated, warnings = [] } = result;
  const heads = useMemo(
    () => columns.map(({ name, type }) => ({ name, note: type, isNumber: isNumberType(type) })),
    [columns],
  );
  const cell = useCallback(
    (row: number, column: number) => valueText(rows[row]?.[columns[column]!.name]),
    [rows, columns],
  );
  return (
    <section aria-label="Result" className="result">
      <div className="row">
        <p className="note" role="status">
          {counted(rows.length, "row")} and {counted(columns.length, "column")} in{" "}
          {figure(Math.max(1, Math.round(ms / 10)) / 100)} s
        </p>
        <Exports result={result} statement={statement} />
      </div>
      {truncated && (
        <p className="warnings">
          These are not all rows: more than {counted(rows.length, "row")} were found, or they are
          larger than one answer may be. A dataset of this takes all of them.
        </p>
      )}
      <Warnings of={warnings} most={600} />
      {rows.length === 0 ? (
        <p>No row fulfils it. Columns: {columns.map(({ name }) => name).join(", ")}.</p>
      ) : (
        <Grid label="Rows of the result" columns={heads} rowCount={rows.length} cell={cell} />
      )}
    </section>
  );
}

function Exports({ result, statement }: Pick<ResultViewProps, "result" | "statement">) {
  const { failed } = useToasts();
  const [busy, setBusy] = useState(false);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const arrow = async (): Promise<void> => {
    const own = new AbortController();
    abort.current = own;
    setBusy(true);
    try {
      save(await arrowOf({ ...statement, maxRows: MOST_ROWS }, own.signal), "result.arrows");
    } catch (error) {
      if (!own.signal.aborted) failed(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button onClick={() => save(csvOf(result), "result.csv")} disabled={result.rows.length === 0}>
        CSV of these rows
      </Button>
      <Button busy={busy} onClick={() => void arrow()} title="Runs the statement again">
        Arrow, up to 100,000 rows
      </Button>
    </>
  );
}

function save(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has its own hold of the content by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
