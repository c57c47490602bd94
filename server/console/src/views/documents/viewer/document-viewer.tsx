/** A document's pages where its format has a look of its own, or its text; with one place highlighted. */

import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { client } from "../../../api/client.ts";
import { Boundary } from "../../../ui/boundary.tsx";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import type { Highlight } from "./highlight.ts";
import { ImagePage } from "./image-page.tsx";
import { TextPages } from "./text-pages.tsx";

const PdfPages = lazy(() => import("./pdf-pages.tsx"));

interface DocumentViewerProps {
  readonly documentId: string;
  readonly mediaType: string;
  readonly highlight: Highlight | null;
}

export function DocumentViewer({ documentId, mediaType, highlight }: DocumentViewerProps) {
  const isPdf = mediaType === "application/pdf";
  const hasLook = isPdf || /^image\/(png|jpeg|webp|gif|bmp)$/.test(mediaType);
  const [wantsText, setWantsText] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["document", documentId, "text"],
    queryFn: ({ signal }) => client.documents.text.query({ document_id: documentId }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ProblemNote error={error} />;
  if (data === undefined) return <Loading />;
  const showsText = !hasLook || wantsText;
  return (
    <div className="document-viewer">
      {hasLook && (
        <fieldset className="row">
          <legend className="unseen">What is shown</legend>
          <label className="check">
            <input
              type="radio"
              name={`look-${documentId}`}
              checked={!wantsText}
              onChange={() => setWantsText(false)}
            />
            Pages
          </label>
          <label className="check">
            <input
              type="radio"
              name={`look-${documentId}`}
              checked={wantsText}
              onChange={() => setWantsText(true)}
            />
            Text, as it is read
          </label>
        </fieldset>
      )}
      <Boundary key={documentId}>
        <Suspense fallback={<Loading />}>
          {showsText ? (
            <TextPages text={data.text} pages={data.pages} highlight={highlight} />
          ) : isPdf ? (
            <PdfPages documentId={documentId} highlight={highlight} />
          ) : (
            <ImagePage documentId={documentId} page={data.pages[0]} highlight={highlight} />
          )}
        </Suspense>
      </Boundary>
    </div>
  );
}
