/** What a dataset was made of, in a sentence. */

import { Link } from "react-router";
import { Text } from "../../../ui/text.tsx";

interface SourceNoteProps {
  /** As the service recorded it; its members depend on its kind. */
  readonly source: Readonly<Record<string, unknown>>;
}

export function SourceNote({ source }: SourceNoteProps) {
  const text = (member: string): string | null => {
    const value = source[member];
    return typeof value === "string" && value !== "" ? value : null;
  };
  switch (source["kind"]) {
    case "upload":
      return (
        <>
          Uploaded
          {text("file_name") !== null && (
            <>
              {" "}
              as <Text of={text("file_name") ?? ""} />
            </>
          )}
          {text("media_type") !== null &&
            ` (${[formatOf(text("media_type") ?? ""), text("encoding")].filter(Boolean).join(", ")})`}
        </>
      );
    case "table":
      return (
        <>
          The rows of <Text of={text("table") ?? "a table"} /> as they were then
        </>
      );
    case "sql":
      return (
        <>
          The rows of a query: <code>{<Text of={text("sql") ?? ""} most={240} />}</code>
        </>
      );
    case "extraction":
      return <>Read out of documents</>;
    case "batch_prediction":
      return (
        <>
          The predictions of <Link to={`/serve/batch/${text("job_id")}`}>a batch job</Link>
        </>
      );
    default:
      return <>A table of rows</>;
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  "text/csv": "CSV",
  "application/x-ndjson": "JSON lines",
  "application/vnd.apache.parquet": "Parquet",
  "application/vnd.apache.arrow.stream": "Arrow",
  "application/vnd.apache.arrow.file": "Arrow",
};

/** As people call it; what has no such name is said as it is. */
const formatOf = (mediaType: string): string =>
  FORMATS[mediaType.split(";")[0]?.trim() ?? ""] ?? mediaType;
