/** One document: its pages as they look, or its text as the service reads it. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { BASE_PATH } from "../../../api/base.ts";
import { client } from "../../../api/client.ts";
import { useScope } from "../../../api/session.tsx";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { counted, size } from "../../../ui/numbers.ts";
import { Page } from "../../../ui/page.tsx";
import { PendingPage } from "../../../ui/pending-page.tsx";
import { Status } from "../../../ui/status.tsx";
import { shortened } from "../../../ui/text.tsx";
import { Warnings } from "../../../ui/warnings.tsx";
import { DocumentViewer } from "./document-viewer.tsx";

const PATH = [{ to: "/documents", label: "Documents" }];
const REFRESH_MS = 2_000;

export function DocumentPage() {
  const { documentId = "" } = useParams();
  const mayWrite = useScope("documents:write");
  const [asks, setAsks] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ["document", documentId],
    queryFn: ({ signal }) => client.documents.get.query({ document_id: documentId }, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === "parsing" ? REFRESH_MS : false),
  });
  if (data === undefined) {
    return (
      <PendingPage
        title="Document"
        path={PATH}
        error={error}
        retry={() => void refetch()}
        all={{ to: "/documents", label: "All documents" }}
      />
    );
  }
  const { name, status, pages, bytes, media_type, warnings, error_message } = data;
  return (
    <Page
      title={shortened(name, 80)}
      path={PATH}
      lead={
        <>
          <Status of={status} /> {pages !== null && `${counted(pages, "page")}, `}
          {size(bytes)}, {media_type}
        </>
      }
      actions={
        <>
          <a className="button" href={`${BASE_PATH}/v1/documents/${documentId}/content`} download>
            Download
          </a>
          {mayWrite && (
            <Button look="danger" onClick={() => setAsks(true)}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <Warnings of={warnings} />
      {status === "ready" && (
        <DocumentViewer documentId={documentId} mediaType={media_type} highlight={null} />
      )}
      {status === "parsing" && <Loading label="The service still reads it" />}
      {status === "failed" && (
        <div className="problem" role="alert">
          <p>{error_message}</p>
        </div>
      )}
      {asks && <Delete id={documentId} name={name} onClose={() => setAsks(false)} />}
    </Page>
  );
}

function Delete({
  id,
  name,
  onClose,
}: {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return (
    <Confirm
      title={`Delete ${shortened(name, 60)}?`}
      action="Delete"
      onClose={onClose}
      onConfirm={async () => {
        await client.documents.delete.mutate({ document_id: id });
        navigate("/documents");
        queries.removeQueries({ queryKey: ["document", id] });
        await queries.invalidateQueries({ queryKey: ["documents"] });
      }}
    >
      <p>
        Its bytes and what was read of them go. Schemas, answers and datasets that were made of it
        stay.
      </p>
    </Confirm>
  );
}
