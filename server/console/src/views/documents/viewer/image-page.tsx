/** A scan or a photograph, with one place marked on it. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { contentOf } from "./content.ts";
import type { Highlight } from "./highlight.ts";
import { PageMark } from "./page-mark.tsx";

interface ImagePageProps {
  readonly documentId: string;
  /** Its size in points; null where it was read by a version that did not keep it. */
  readonly page: { readonly width: number | null; readonly height: number | null } | undefined;
  readonly highlight: Highlight | null;
}

export function ImagePage({ documentId, page, highlight }: ImagePageProps) {
  const { data, error } = useQuery({
    queryKey: ["document", documentId, "content"],
    queryFn: async ({ signal }) => new Blob([await contentOf(documentId, signal)]),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (data === undefined) return;
    const made = URL.createObjectURL(data);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  if (error) return <ProblemNote error={error} />;
  if (url === null) return <Loading />;
  const { width = null, height = null } = page ?? {};
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="pages" tabIndex={0} aria-label="The document">
      <div className="sheet">
        <img src={url} alt="The document; its text is beside, under “Text”" />
        {highlight?.box && width !== null && height !== null && (
          <PageMark box={highlight.box} width={width} height={height} />
        )}
      </div>
    </section>
  );
}
