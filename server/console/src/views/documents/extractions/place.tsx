/** The document of a row, with the place of the chosen answer on it. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { client } from "../../../api/client.ts";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { Text } from "../../../ui/text.tsx";
import { DocumentViewer } from "../viewer/document-viewer.tsx";
import { highlightOf, type Row } from "./rows.ts";

interface PlaceProps {
  readonly row: Row;
  readonly question: string | null;
}

export function Place({ row, question }: PlaceProps) {
  const answer = question === null ? undefined : row.answers[question];
  const { data, error } = useQuery({
    queryKey: ["document", row.document_id],
    queryFn: ({ signal }) =>
      client.documents.get.query({ document_id: row.document_id }, { signal }),
  });
  return (
    <section aria-label="Where the answer stands">
      <p>
        <Link to={`/documents/${row.document_id}`}>
          <Text of={row.name} />
        </Link>
        {question !== null && (
          <span className="note">
            {" "}
            {answer?.span
              ? `${question}: “${answer.span.text.slice(0, 200)}”, page ${answer.page ?? 1}`
              : `${question}: the document does not say`}
          </span>
        )}
      </p>
      {error ? (
        <ProblemNote error={error} />
      ) : data === undefined ? (
        <Loading />
      ) : (
        <DocumentViewer
          documentId={row.document_id}
          mediaType={data.media_type}
          highlight={highlightOf(answer)}
        />
      )}
    </section>
  );
}
