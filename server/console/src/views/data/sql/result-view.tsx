/** The rows of a statement, and files of them. */

import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../../ui/button.tsx";
import { columnTypeWord } from "../../../ui/column-type.ts";
import { Grid } from "../../../ui/grid.tsx";
import { counted, figure } from "../../../ui/numbers.ts";
import { saveFile } from "../../../ui/save-file.ts";
import { useToasts } from "../../../ui/toasts.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { EXPORT_FORMATS, type ExportFormat, exportOf, type Statement } from "./query-client.ts";
import { isNumberType, type QueryResult } from "./result.ts";

interface ResultViewProps {
  readonly result: QueryResult;
  /** What gave it. */
  readonly statement: Statement;
  /** How long that took. */
  readonly ms: number;
}

export function ResultView({ result, statement, ms }: ResultViewProps) {
  const { columns, rowCount, cell, truncated, warnings = [] } = result;
  const heads = useMemo(
    () =>
      columns.map(({ name, type }) => ({
        ...{ name, note: columnTypeWord(type), exact: type },
        isNumber: isNumberType(type),
      })),
    [columns],
  );
  return (
    <section aria-label="Result" className="result">
      <div className="row">
        <p className="note" role="status">
          {counted(rowCount, "row")} and {counted(columns.length, "column")} in{" "}
          {figure(Math.max(1, Math.round(ms / 10)) / 100)} s
        </p>
        <Exports statement={statement} />
      </div>
      {truncated && (
        <p className="warnings">
          These are not all rows: more than {counted(rowCount, "row")} were found, or they are
          larger than one answer may be. Files and a dataset of this take all of them.
        </p>
      )}
      <Warnings of={warnings} most={600} />
      {rowCount === 0 ? (
        <p>No row fulfils it. Columns: {columns.map(({ name }) => name).join(", ")}.</p>
      ) : (
        <Grid label="Rows of the result" columns={heads} rowCount={rowCount} cell={cell} />
      )}
    </section>
  );
}

function Exports({ statement }: Pick<ResultViewProps, "statement">) {
  const { failed } = useToasts();
  const [making, setMaking] = useState<ExportFormat | null>(null);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const download = async (format: ExportFormat): Promise<void> => {
    const own = new AbortController();
    abort.current = own;
    setMaking(format);
    try {
      const response = await exportOf(statement, format, own.signal);
      saveFile(await response.blob(), `result.${format === "arrow" ? "arrows" : format}`);
    } catch (error) {
      if (!own.signal.aborted) failed(error);
    } finally {
      setMaking(null);
    }
  };
  if (making !== null) {
    return (
      <>
        <span className="note" role="status">
          The statement runs again, and its {EXPORT_FORMATS[making]} file is fetched…
        </span>
        <Button look="danger" onClick={() => abort.current?.abort()}>
          Stop
        </Button>
      </>
    );
  }
  return (Object.keys(EXPORT_FORMATS) as ExportFormat[]).map((format) => (
    <Button
      key={format}
      onClick={() => void download(format)}
      title="All rows; the statement runs again"
    >
      {EXPORT_FORMATS[format]} of all rows
    </Button>
  ));
}
