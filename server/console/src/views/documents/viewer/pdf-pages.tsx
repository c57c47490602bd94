/** The pages of a PDF, each drawn when it comes near, by pdf.js. */

import { useQuery } from "@tanstack/react-query";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { GlobalWorkerOptions, getDocument, VerbosityLevel, version } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { useEffect, useRef, useState } from "react";
import { Loading } from "../../../ui/loading.tsx";
import { ProblemNote } from "../../../ui/problem.tsx";
import { contentOf } from "./content.ts";
import type { Highlight } from "./highlight.ts";
import { bringIntoView, PageMark } from "./page-mark.tsx";

GlobalWorkerOptions.workerSrc = workerUrl;

/** Of images in JPEG 2000 and JBIG2; beside the worker, where the build has put them. */
const DECODERS = new URL(`pdfjs-${version}/`, new URL(workerUrl, document.baseURI)).href;

/** Pages this far from what is seen are drawn already. */
const NEAR = "600px";
/** More pixels a side than this are not drawn. */
const MOST_PIXELS = 4_000;

interface PdfPagesProps {
  readonly documentId: string;
  readonly highlight: Highlight | null;
}

export default function PdfPages({ documentId, highlight }: PdfPagesProps) {
  const { data: bytes, error } = useQuery({
    queryKey: ["document", documentId, "content"],
    queryFn: ({ signal }) => contentOf(documentId, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [pdf, setPdf] = useState<PDFDocumentProxy | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    if (bytes === undefined) return;
    // The worker takes the bytes away; the cache keeps its own.
    const task = getDocument({
      data: bytes.slice(0),
      verbosity: VerbosityLevel.ERRORS,
      // The content security policy allows none, and the decoders do without.
      useWasm: false,
      wasmUrl: DECODERS,
    });
    let isCurrent = true;
    task.promise
      .then((opened) => isCurrent && setPdf(opened))
      .catch((reason: unknown) => isCurrent && setFailure(reason));
    return () => {
      isCurrent = false;
      setPdf(null);
      void task.destroy();
    };
  }, [bytes]);
  if (error ?? failure) return <ProblemNote error={error ?? failure} />;
  if (pdf === null) return <Loading />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className="pages" tabIndex={0} aria-label="Pages of the document">
      {Array.from({ length: pdf.numPages }, (_, at) => (
        <Sheet
          // biome-ignore lint/suspicious/noArrayIndexKey: pages stay where they are
          key={at}
          pdf={pdf}
          number={at + 1}
          highlight={highlight?.page === at + 1 ? highlight : null}
        />
      ))}
    </section>
  );
}

interface SheetProps {
  readonly pdf: PDFDocumentProxy;
  readonly number: number;
  readonly highlight: Highlight | null;
}

/** A4, until the page says its own size. */
const GUESS = { width: 595, height: 842 };

function Sheet({ pdf, number, highlight }: SheetProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isNear, setNear] = useState(number === 1);
  const [page, setPage] = useState<PDFPageProxy | null>(null);
  const [isDrawn, setDrawn] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const isWanted = isNear || highlight !== null;
  useEffect(() => {
    if (sheet.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => setNear(entry?.isIntersecting === true),
      { root: sheet.current.closest(".pages"), rootMargin: NEAR },
    );
    observer.observe(sheet.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    if (!isWanted) return;
    let isCurrent = true;
    pdf
      .getPage(number)
      .then((got) => isCurrent && setPage(got))
      .catch((reason: unknown) => isCurrent && setFailure(reason));
    return () => {
      isCurrent = false;
    };
  }, [pdf, number, isWanted]);
  useEffect(() => {
    if (page === null || !isWanted || canvas.current === null || sheet.current === null) return;
    const { width, height } = page.getViewport({ scale: 1 });
    const wanted = (sheet.current.clientWidth * devicePixelRatio) / width;
    const scale = Math.min(wanted, MOST_PIXELS / Math.max(width, height));
    const viewport = page.getViewport({ scale });
    canvas.current.width = viewport.width;
    canvas.current.height = viewport.height;
    const task = page.render({ canvas: canvas.current, viewport });
    // A page that is left while it is drawn is drawn again when it comes back.
    let isCurrent = true;
    task.promise
      .then(() => isCurrent && setDrawn(true))
      .catch((reason: unknown) => isCurrent && setFailure(reason));
    return () => {
      isCurrent = false;
      setDrawn(false);
      task.cancel();
    };
  }, [page, isWanted]);
  const hasMark = highlight !== null && highlight.box === null;
  useEffect(() => {
    if (hasMark && sheet.current) bringIntoView(sheet.current);
  }, [hasMark]);
  const { width, height } = page?.getViewport({ scale: 1 }) ?? GUESS;
  return (
    <div
      ref={sheet}
      className="sheet"
      style={{ aspectRatio: `${width} / ${height}` }}
      aria-busy={isWanted && !isDrawn && failure === null}
    >
      {failure !== null && <ProblemNote error={failure} />}
      {isWanted && <canvas ref={canvas} role="img" aria-label={`Page ${number}`} />}
      {highlight?.box && page !== null && (
        <PageMark box={highlight.box} width={width} height={height} />
      )}
    </div>
  );
}
